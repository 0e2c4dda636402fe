;; Maps over lists with all processors, and hands work to futures: threads that allocate while others collect.
(use-modules (ice-9 threads) (ice-9 futures) (srfi srfi-1))

(define (collatz-steps n)
  (let loop ((n n) (steps '()))
    (if (= n 1) (reverse steps) (loop (if (even? n) (quotient n 2) (+ 1 (* 3 n))) (cons n steps)))))

(define (tree depth label)
  (if (zero? depth) (list label) (cons (tree (- depth 1) (string-append label "l")) (tree (- depth 1) label))))

(define (leaves node)
  (cond ((pair? node) (+ (leaves (car node)) (leaves (cdr node))))
        ((string? node) (string-length node))
        (else 0)))

(define (longest from to)
  (fold (lambda (n best) (let ((steps (collatz-steps n))) (if (> (length steps) (car best)) (cons (length steps) n) best)))
        '(0 . 0) (iota (- to from) from)))

(do ((round 0 (+ round 1))) ((= round 24))
  (let ((parts (par-map (lambda (part) (longest (+ 1 (* part 1000)) (+ 1 (* (+ part 1) 1000)))) (iota 12 round))))
    (format #t "longest: ~a\n" (fold (lambda (a b) (if (> (car a) (car b)) a b)) '(0 . 0) parts)))
  (let* ((futures (map (lambda (i) (future (leaves (tree 13 (number->string i))))) (iota 8)))
         (sums (map touch futures)))
    (format #t "leaves: ~a\n" sums))
  (let ((table (make-hash-table)))
    (par-for-each (lambda (i)
                    (let ((words (map (lambda (k) (number->string (* i k) 2)) (iota 2000 1))))
                      (monitor (hash-set! table i (apply + (map string-length words))))))
                  (iota 16))
    (format #t "digits: ~a\n" (sort (hash-map->list cons table) (lambda (a b) (< (car a) (car b)))))))
