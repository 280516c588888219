/** Characters that the names of secrets may take in the policy of one function. A role's own policies hold 10,240 characters in all,
 *  and those of the function for operators need almost half of that for everything else. */
export const PATTERNS_BYTES = 5_000;

/** What stands around a name: `arn:aws-cn:secretsmanager:ap-northeast-1:123456789012:secret:`, its end, and JSON's own. */
const AROUND = 80;

/** The names of the secrets, as the resources of a policy end: exactly these as long as there is room for them, else all secrets of
 *  the folders that they are in (`changewire/*`), for nothing else covers a thousand names. A name without a folder stays as it is. */
export function secretPatterns(names: readonly string[]): {
  readonly patterns: readonly string[];
  readonly bytes: number;
} {
  const exact = measured(names);
  return exact.bytes <= PATTERNS_BYTES ? exact : measured(names.map(inFolder));
}

function measured(patterns: readonly string[]) {
  const all = [...new Set(patterns)];
  return { patterns: all, bytes: all.reduce((bytes, each) => bytes + AROUND + each.length, 0) };
}

function inFolder(name: string): string {
  return name.includes('/') ? `${name.slice(0, name.lastIndexOf('/') + 1)}*` : name;
}
