import type { Deliver } from '../../functions/create-deliver.ts';
import type { Queues } from '../../functions/delivery/queues.ts';

/**
 * Lets days pass in real queues: a message that is postponed comes back within `pause` seconds, older by what it was
 * postponed for, or by `leap` ms where given.
 */
export function virtualTime(how: { readonly pause: number; readonly leap?: number }) {
  const older = new Map<string, number>();
  const ids = new Map<string, string>();
  const ageOf = (messageId: string) => older.get(messageId) ?? 0;
  return {
    /** Pauses in seconds that were asked for, in order. */
    pauses: [] as number[],
    queues(real: Queues): Queues {
      return {
        ...real,
        changeVisibility: async (queueUrl, receipt, seconds) => {
          this.pauses.push(seconds);
          const id = ids.get(receipt) ?? '';
          older.set(id, ageOf(id) + (how.leap ?? seconds * 1000));
          await real.changeVisibility(queueUrl, receipt, Math.min(seconds, how.pause));
        },
      };
    },
    deliverer(deliver: Deliver): Deliver {
      return ({ Records }, context) => {
        const aged = Records.map(record => {
          ids.set(record.receiptHandle, record.messageId);
          const { ApproximateFirstReceiveTimestamp: first } = record.attributes;
          const moved = String(Number(first) - ageOf(record.messageId));
          return { ...record, attributes: { ...record.attributes, ApproximateFirstReceiveTimestamp: moved } };
        });
        return deliver({ Records: aged }, context);
      };
    },
  };
}
