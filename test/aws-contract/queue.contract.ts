import { queueContract } from '../simulation/models/queue-contract.ts';
import { clientsOf, optionsOfTests } from './account.ts';
import { openQueues } from './queues.ts';

const options = optionsOfTests();
queueContract('SQS', openQueues(clientsOf(options), options, options.endpoint === undefined ? 10 : 3));
