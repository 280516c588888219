import { Agent, request } from 'undici';
import { optionsOfChild, serveParent } from './children.ts';
import { PROCESS } from './content.ts';
import { measured } from './processor-time.ts';

/** What a sweep is compared to: a loop that reads and parses each page once, and does nothing else. In a
 *  process of its own, as the poller is. */
const { origin, concurrency } = optionsOfChild<{ origin: string; concurrency: number }>();
const agent = new Agent({ connections: concurrency });
const headers = { accept: 'application/json', authorization: 'a.bench.token' };

interface List {
  readonly [name: string]: readonly { readonly id: string }[];
}

interface Body {
  readonly paging: { readonly endCursor: string; readonly hasNextPage: boolean };
}

serveParent(() =>
  measured(async () => {
    const ids: string[] = [];
    for await (const page of pages('projects', 200)) for (const { id } of page.projects ?? []) ids.push(id);
    const left = ids.values();
    let tasks = 0;
    const worker = async () => {
      for (const id of left)
        for await (const page of pages(`projects/${id}/tasks`, 500)) tasks += page.tasks?.length ?? 0;
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    return { projects: ids.length, tasks };
  }),
);

async function* pages(list: string, first: number): AsyncGenerator<List> {
  for (let after: string | undefined = ''; after !== undefined; ) {
    const query = `first=${first}${after && `&after=${after}`}`;
    const { body } = await request(`${origin}/api/processes/${PROCESS}/${list}?${query}`, {
      dispatcher: agent,
      headers,
    });
    const page = JSON.parse(await body.text()) as Body;
    yield page as unknown as List;
    after = page.paging.hasNextPage ? page.paging.endCursor : undefined;
  }
}
