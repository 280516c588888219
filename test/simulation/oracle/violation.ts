/** An invariant of design.md §11 does not hold. */
export class Violation extends Error {
  readonly invariant: number;

  constructor(invariant: number, message: string) {
    super(`invariant ${invariant}: ${message}`);
    this.invariant = invariant;
  }
}
