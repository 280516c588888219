import { writeFileSync } from 'node:fs';
import { goldenFiles } from '../../kit/delivery/chat-golden.ts';

for (const { path, content } of goldenFiles()) writeFileSync(path, content());
