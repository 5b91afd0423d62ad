! The checks of the programs of this directory.
module checks
    use tutti
    implicit none
    integer :: wrong = 0
contains
    subroutine expect(holds, what)
        logical, intent(in) :: holds
        character(*), intent(in) :: what
        character(300) :: text
        if (holds) return
        call tutti_error_text(text)
!$omp critical
        wrong = wrong + 1
        print *, what, ': ', trim(text)
!$omp end critical
    end subroutine

    ! Checks that a call has been rejected, with these words.
    subroutine refused(ierr, words)
        integer, intent(in) :: ierr
        character(*), intent(in) :: words
        character(300) :: text
        call tutti_error_text(text)
        call expect(ierr == TUTTI_ARGUMENT_ERROR .and. index(text, words) > 0, 'not refused: '//words)
    end subroutine

    subroutine tell()
        print *, wrong, ' wrong'
        if (wrong /= 0) error stop 1
    end subroutine
end module
