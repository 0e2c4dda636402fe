;; Symbolic work: terms are built, rewritten and printed, words are counted, records are sorted.
(use-modules (srfi srfi-1) (srfi srfi-9) (ice-9 vlist) (ice-9 format))

(define random-state 12345)
(define (next-random! limit)
  (set! random-state (modulo (+ (* random-state 1103515245) 12345) 2147483648))
  (modulo (quotient random-state 64) limit))

;; Terms: differentiate and simplify, as in many a Lisp benchmark, on trees that live long.
(define (random-term depth)
  (if (zero? depth)
      (if (even? (next-random! 16)) 'x (next-random! 100))
      (list (if (even? (next-random! 16)) '+ '*) (random-term (- depth 1)) (random-term (- depth 1)))))

(define (derive term)
  (cond ((number? term) 0)
        ((symbol? term) 1)
        ((eq? (car term) '+) (list '+ (derive (cadr term)) (derive (caddr term))))
        (else (list '+
                    (list '* (cadr term) (derive (caddr term)))
                    (list '* (derive (cadr term)) (caddr term))))))

(define (simplify term)
  (if (not (pair? term))
      term
      (let ((left (simplify (cadr term))) (right (simplify (caddr term))))
        (case (car term)
          ((+) (cond ((and (number? left) (number? right)) (+ left right))
                     ((eqv? left 0) right)
                     ((eqv? right 0) left)
                     (else (list '+ left right))))
          (else (cond ((and (number? left) (number? right)) (modulo (* left right) 1000003))
                      ((or (eqv? left 0) (eqv? right 0)) 0)
                      ((eqv? left 1) right)
                      ((eqv? right 1) left)
                      (else (list '* left right))))))))

(define (size term) (if (pair? term) (apply + 1 (map size (cdr term))) 1))

(define (work-on-terms)
  (let loop ((round 0) (kept '()) (sum 0))
    (if (= round 60)
        (format #t "terms: ~a, ~a kept\n" sum (length kept))
        (let ((derived (simplify (derive (random-term 9)))))
          (loop (+ round 1) (cons derived (if (> (length kept) 8) (take kept 8) kept)) (+ sum (size derived)))))))

;; Words: strings made, split, counted in a table and sorted.
(define (random-word)
  (list->string (list-tabulate (+ 2 (next-random! 3)) (lambda (i) (integer->char (+ 97 (next-random! 26)))))))

(define (work-on-words)
  (let ((counts (make-hash-table)))
    (do ((line 0 (+ line 1))) ((= line 6000))
      (let ((text (string-join (list-tabulate 12 (lambda (i) (random-word))) " ")))
        (for-each (lambda (word) (hash-set! counts word (+ 1 (hash-ref counts word 0))))
                  (string-split (string-upcase text) #\space))))
    (let ((sorted (sort (hash-map->list cons counts)
                        (lambda (a b) (or (> (cdr a) (cdr b)) (and (= (cdr a) (cdr b)) (string<? (car a) (car b))))))))
      (format #t "words: ~a different, most often ~a\n" (length sorted) (car sorted)))))

;; Records: a table of them, updated functionally.
(define-record-type <account> (make-account number owner balance) account?
  (number account-number) (owner account-owner) (balance account-balance))

(define (work-on-records)
  (let loop ((round 0) (table vlist-null))
    (if (< round 60000)
        (let* ((number (next-random! 5000))
               (old (vhash-assv number table))
               (balance (if old (account-balance (cdr old)) 0)))
          (loop (+ round 1)
                (vhash-consv number (make-account number (number->string number 16) (+ balance round)) table)))
        (format #t "records: ~a in the newest state\n"
                (vhash-fold (lambda (key account count) (+ count (modulo (account-balance account) 7))) 0 table)))))

(do ((round 0 (+ round 1))) ((= round 8))
  (work-on-terms)
  (work-on-words)
  (work-on-records))
