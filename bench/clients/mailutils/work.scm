;; Reads a mailbox through Mailutils' Guile modules, and counts who writes what to whom.
(use-modules (mailutils mailutils) (ice-9 rdelim) (ice-9 regex) (srfi srfi-1))

(define subject-pattern (make-regexp "^(Re: )?(.*)$"))

(define (count! table key) (hash-set! table key (+ 1 (hash-ref table key 0))))

(define (body-lines message)
  (let ((body (mu-message-get-body message)))
    (let loop ((lines '()))
      (let ((line (mu-body-read-line body)))
        (if (eof-object? line) (reverse lines) (loop (cons line lines)))))))

(define (read-mailbox mailbox)
  (let ((pairs (make-hash-table)) (subjects (make-hash-table)) (words (make-hash-table)) (quoted 0))
    (let loop ((message (mu-mailbox-first-message mailbox)))
      (if (not (eof-object? message))
          (let ((headers (mu-message-get-header-fields message)))
            (count! pairs (string-append (mu-message-get-sender message) " > " (mu-message-get-header message "To")))
            (let ((match (regexp-exec subject-pattern (mu-message-get-header message "Subject"))))
              (count! subjects (match:substring match 2)))
            (for-each (lambda (line)
                        (if (string-prefix? ">" line) (set! quoted (+ quoted 1)))
                        (for-each (lambda (word) (count! words word)) (string-tokenize line)))
                      (body-lines message))
            (loop (mu-mailbox-next-message mailbox)))))
    (let ((order (lambda (table)
                   (sort (hash-map->list cons table)
                         (lambda (a b) (or (> (cdr a) (cdr b)) (and (= (cdr a) (cdr b)) (string<? (car a) (car b)))))))))
      (format #t "~a quoted\n~a\n~a\n~a\n" quoted (take (order pairs) 3) (take (order subjects) 3) (take (order words) 3)))))

;; Open for as long as anything refers to its messages: Mailutils frees them with it.
(define mailbox (mu-mailbox-open "mailbox" "r"))
(do ((round 0 (+ round 1))) ((= round 6)) (read-mailbox mailbox))
