/* embed.c: this thread's loop inside another library's, and that inside
 * this one.
 *
 * Both ways rest on what epoll sets can do: they are descriptors that can be
 * polled. What is left is to tell each other how long to sleep at most.
 */
#include <errno.h>
#include <io/loop.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>

int
fm_loop_fd(void)
{
    return fm__loop_here()->poll;
}

int64_t
fm_loop_turn(void)
{
    struct fm__loop *l = fm__loop_here();
    if (l->driving || fm_self()) {
        fprintf(stderr, "fermata: fm_loop_turn was called by a task of the "
                        "loop that it would have to run\n");
        abort();
    }
    return fm__loop_turn(l);
}

/* ---- a guest ---- */

/* Its events only end a sleep. */
static void
nothing(struct fm__watch *w, uint16_t generation, uint32_t events)
{
    (void)w;
    (void)generation;
    (void)events;
}

static struct fm__watch watch = {.ready = nothing};

int64_t
fm__loop_guest_turn(struct fm__loop *l)
{
    int64_t ns = l->guest->turn(l->guest);
    l->guest_left = ns >= 0;
    return ns == FM_FOREVER ? -1 : ns;
}

int
fm_loop_invite(fm_guest *guest)
{
    struct fm__loop *l = fm__loop_here();
    int error = l->guest ? EBUSY
                         : fm__loop_control(l, EPOLL_CTL_ADD, guest->fd, &watch,
                                            0, EPOLLIN);
    if (error) {
        errno = error;
        return -1;
    }
    l->guest = guest;
    l->guest_left = true; /* until its first turn tells */
    return 0;
}

void
fm_loop_dismiss(fm_guest *guest)
{
    struct fm__loop *l = fm__loop_here();
    if (l->guest != guest)
        return;
    l->guest = NULL;
    fm__loop_control(l, EPOLL_CTL_DEL, guest->fd, &watch, 0, 0);
}
