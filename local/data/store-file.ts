/** The name of the file, in a data directory, with all that a run keeps. It stands alone here, so that who looks whether it is there need not
 *  load what reads it. */
export const STORE_FILE = 'changewire.sqlite';
