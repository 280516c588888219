import type { Finding } from '../operations/protocol/doctor.ts';
import type { Asker } from './asker.ts';
import { found } from './examination.ts';
import { readProjects } from './lists.ts';
import { counted } from './words.ts';

const TOPIC = 'process';

/** Whether the process can be read at all, without which nothing else can be examined. */
export async function judgeProcess(asker: Asker): Promise<{ finding: Finding; isThere: boolean }> {
  const { answers, failure, pages, items, isWhole } = await readProjects(asker);
  if (answers.length === 0) {
    const came = failure?.failure ?? `status ${failure?.status}`;
    const text = 'Its projects can not be listed.';
    const asked = failure ? [failure] : [];
    const remedy = failure && failure.status === undefined ? UNREACHABLE : REMEDY;
    return { isThere: false, finding: found(TOPIC, 'warning', text, { asked, came, remedy }) };
  }
  const came = `${isWhole ? '' : 'more than '}${counted(items.length, 'project')} on ${counted(pages.length, 'page')}`;
  const finding = found(TOPIC, 'fine', 'Its projects can be listed.', { asked: answers, came });
  return { isThere: true, finding };
}

const UNREACHABLE =
  'Nothing answers at the base address (EU or US): check its name and port, and the proxy or firewall between.';
const REMEDY = 'Check the id of the process, the base address (EU or US), and what the credentials may read.';
