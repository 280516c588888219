/** A project's items in the table don't fit one another, so that its snapshot can't be had. */
export class TornSnapshotError extends Error {}
