// JACKDAW_EXPORT: marks what libjackdaw.so offers to C++ programs. All else in the library is hidden.
//
// It stands before functions, not classes: a class that is offered as a whole must not have members of hidden
// types. What a header's inline functions call needs it, too, private or not.
#pragma once

#define JACKDAW_EXPORT __attribute__((visibility("default")))
