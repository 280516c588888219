/** What the emulator does differently from AWS, by the title of the case. A case that is listed must differ. */
export const EMULATOR_DIFFERENCES: Readonly<Record<string, string>> = {};
