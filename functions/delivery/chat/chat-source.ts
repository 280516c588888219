import type { SourceEvent } from '../../model/event.ts';
import { originOf, spanOf } from './chat-origin.ts';
import { label } from './chat-text.ts';
import type { ChatTopic } from './chat-topic.ts';

const NAME_LENGTH = 120;

/** An event about a process as a whole (`source.*`) as a chat shows it. */
export function sourceTopic(event: SourceEvent): ChatTopic {
  return {
    ...wordsOf(event),
    origin: originOf(event),
    observed: spanOf([{ after: 'since' in event.data ? event.data.since : event.time, before: event.time }]),
    records: [],
    eventIds: [event.id],
  };
}

/** The texts hold no data: Teams shows a title where text is read as markdown. */
function wordsOf(event: SourceEvent): { title: string; note: string } {
  switch (event.type) {
    case 'source.held':
      return {
        title: 'Deletions are held',
        note: label(event.data.reason, 1_000) || 'An operator must decide.',
      };
    case 'source.stalled':
      return {
        title: 'Changes are late',
        note: `None is lost: they are told when this is over. The last pass met: ${label(event.data.reason, 800)}`,
      };
    case 'source.skipped': {
      const id = label(event.data.project.id, NAME_LENGTH);
      return {
        title: 'A project is left out',
        note: `Changes of project ${id} are late, none is lost; all others are told. The last try met: ${label(event.data.reason, 800)}`,
      };
    }
    case 'source.recovered':
      return {
        title: 'Changes are told again',
        note: 'The source was read to its end again. What changed in the meantime has been told; nothing was lost.',
      };
  }
}
