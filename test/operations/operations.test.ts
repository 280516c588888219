import { operationsContract } from './contract.ts';
import { STORES } from './house.ts';
import { openSetting } from './setting.ts';

for (const [name, open] of STORES) operationsContract(`over ${name}`, () => openSetting(open));
