const queue = (differences: Record<string, string>) => under('a queue in SQS', differences);
const topic = (differences: Record<string, string>) => under('a topic in SNS', differences);
const table = (differences: Record<string, string>) => under('DynamoDB, as a table', differences);
const source = (differences: Record<string, string>) => under('an event source in Lambda', differences);

function under(suite: string, differences: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(differences).map(([title, how]) => [`${suite} > ${title}`, how]));
}

/** What the emulator does differently, by the title of the case. A case that is listed must differ. */
export const EMULATOR_DIFFERENCES: Readonly<Record<string, string>> = {
  ...queue({
    'a deleted message never comes again, and deleting it again is no error':
      'the second deletion fails (ReceiptHandleIsInvalid)',
    'deleting by a handle older than the last receive is no error, and the last handle deletes':
      'it forgets old handles (ReceiptHandleIsInvalid)',
    'a message can be hidden for 12 hours at most': 'any time is taken',
    'the 12 hours count from its receive': 'any time is taken',
    'the time of a visible message can not be changed': 'it is changed',
    'the time of a deleted message can not be changed': 'the error is ReceiptHandleIsInvalid',
    'a handle older than the last receive changes the time too':
      'it forgets old handles (ReceiptHandleIsInvalid)',
    'a delay of more than 15 minutes is refused': 'any delay is taken',
    'quiet groups are received before one that has most of what is in flight': 'it knows no fair queues',
    'a message needs a body of at most 1 MiB, in characters that XML has': 'any body is taken',
    'an attribute needs a value, in the same characters': 'any value is taken',
  }),
  ...table({
    'an update > with an empty expression is refused': 'the message is of a validation',
    'an update > with one attribute twice is refused': 'it is done',
    'a transaction > takes nearly 4 MB, and not more': 'less is refused',
    'a query > for a filter on its key is refused': 'it is answered',
    'a batch of reads > leaves what is above 16 MB for another one': 'it has no limit',
  }),
  ...topic({
    'a batch has one to ten entries': 'for none the error is InvalidParameterException',
    'a message of more than that is not, nor is what comes with it': 'the others are taken',
    'all messages of a batch together have 256 KB at most': 'only each of them has',
    'an entry without a message makes SNS refuse them all': 'they are taken',
    'an attribute without a value makes SNS refuse them all': 'they are taken',
  }),
  ...source({
    'a queue: an identifier that no message has, beside a known one, makes the whole batch come again':
      'only the known message comes again',
    'a stream: the first record that failed comes again with those after it, and those before it do not':
      'the whole batch comes again',
  }),
};
