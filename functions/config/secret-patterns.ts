/** The most characters that the names of secrets may take in the policy of one function. A role's own
 *  policies may have 10,240 characters together, and the function for operators needs almost half of them
 *  for other things. */
export const PATTERNS_BYTES = 5_000;

/** The characters around each name: `arn:aws-cn:secretsmanager:ap-northeast-1:123456789012:secret:`, its
 *  end, and quotes and commas. */
const AROUND = 80;

/** The names of the secrets, as the ARNs in a policy end. If there is room, exactly these names; else all
 *  secrets of their folders (`changewire/*`), since a thousand names don't fit. A name without a folder
 *  stays as it is. */
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
