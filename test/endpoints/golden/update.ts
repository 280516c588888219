import { writeFileSync } from 'node:fs';
import { goldenFiles } from '../chat-golden.ts';

for (const { path, content } of goldenFiles()) writeFileSync(path, content());
