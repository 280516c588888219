/** What people asked for can't be done. The message says why, and what to do instead; it holds no secret. */
export class Refused extends Error {
  override readonly name = 'Refused';
}
