/* version.h: the version, for programs that cannot include fermata.h. */
#ifndef FERMATA_VERSION_H
#define FERMATA_VERSION_H

#define FERMATA_VERSION_MAJOR 0
#define FERMATA_VERSION_MINOR 1
#define FERMATA_VERSION "0.1.0"

#endif
