/** The functions of the product that a simulated stack runs. A release is all of them of one version: today's, or those of the last release in the
 *  bundle that keep.ts makes of this file. */
export { workspaceSettings } from '../../../functions/config/read.ts';
export { sendBy, wakeBy } from '../../../functions/delivery/queues.ts';
export { createRegistry } from '../../../functions/delivery/registry.ts';
export { createDeliver } from '../../../functions/handlers/create-deliver.ts';
export { createPoll, createPollHandler } from '../../../functions/handlers/create-poll.ts';
export { createPublish } from '../../../functions/handlers/create-publish.ts';
export { createRoute } from '../../../functions/handlers/create-route.ts';
export { createTick } from '../../../functions/handlers/create-tick.ts';
export { SHARE_LOST } from '../../../functions/handlers/run-share.ts';
/** The last release has its name of before. */
export { workOffJobs as workOffReplays } from '../../../functions/operations/jobs.ts';
export { servedByLambda, sqsQueue, sqsQueueBeside } from '../../../functions/queue/sqs.ts';
export { scheduledIn } from '../../../functions/schedule/scheduled.ts';
export { connect } from '../../../functions/service/client.ts';
export { dynamoStore } from '../../../functions/store/dynamo/store.ts';
