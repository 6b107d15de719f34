/* stream.h: what a stream and a listener are. */
#ifndef FM_IO_STREAM_H
#define FM_IO_STREAM_H

#include <io/descriptor.h>

struct fm_stream {
    struct fm__descriptor d; /* nothing else: they share their memory */
};
struct fm_listener {
    struct fm__descriptor d;
};

/* s is being closed: if it is a standard stream, the next call of fm_stdin
 * and its like makes another. */
void fm__standard_forget(struct fm_stream *s);

#endif
