import fc from 'fast-check';

/** Properties draw their values as the simulation draws its plans: see `codeSeed`. */
fc.configureGlobal({ seed: Number(process.env.CODE_SEED) });
