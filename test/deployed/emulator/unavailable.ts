/** The emulator can't be had here; the message says why in one line. It is no failure of what is tested. */
export class Unavailable extends Error {}
