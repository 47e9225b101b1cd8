import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ask, onBehalf, type Person, processor, service, user } from '../helpers/callers.ts';
import { chat, chatted, inSession, type Session, type Sessions } from '../helpers/chat.ts';
import { type ChatEndpoint, calls, says, startChatEndpoint } from '../helpers/chat-endpoint.ts';
import { collection, create, lacking, ok, remove, update } from '../helpers/entities.ts';
import { startNode, type TestNode } from '../helpers/node.ts';

let endpoint: ChatEndpoint;
let node: TestNode;
let owner: Person;
let stranger: Person;

beforeAll(async () => {
  endpoint = await startChatEndpoint();
  node = await startNode({ env: endpoint.env });
  [owner, stranger] = [await user(node, 'owner'), await user(node, 'stranger')];
});
afterAll(async () => {
  await node[Symbol.asyncDispose]();
  await endpoint[Symbol.asyncDispose]();
});

/** What the endpoint is asked from here on, with these answers. */
function script(...replies: ChatEndpoint['replies']): ChatEndpoint['asked'] {
  endpoint.asked = [];
  endpoint.replies = replies;
  return endpoint.asked;
}

const session = async (who: Person, id: string) => ok<Session>(await ask(node, who, `GET /chat/sessions/${id}`));

describe('an answer', () => {
  test('is a stream of the AI SDK, with the usage as its last part', async () => {
    const asked = script(says('All is well here.'));
    const { answer, parts, end, chatId } = await chat(node, owner, 'How are you?');
    expect(answer.status).toBe(200);
    expect(answer.headers).toMatchObject({
      'content-type': 'text/event-stream; charset=utf-8',
      'x-vercel-ai-ui-message-stream': 'v1',
    });
    expect(parts).toEqual([
      { type: 'start', messageId: expect.any(String), messageMetadata: { chatId } },
      { type: 'start-step' },
      { type: 'text-start', id: 'text-1' },
      ...['All ', 'is ', 'well ', 'here.'].map((delta) => ({ type: 'text-delta', id: 'text-1', delta })),
      { type: 'text-end', id: 'text-1' },
      { type: 'finish-step' },
      { type: 'finish', messageMetadata: { usage: { input_tokens: 11, output_tokens: 7 } } },
      { type: 'message_delta', delta: { usage: { input_tokens: 11, output_tokens: 7 } } },
    ]);
    expect(end).toBe('[DONE]');
    expect(asked).toHaveLength(1);
    expect(asked[0]).toMatchObject({
      path: '/v1/chat/completions',
      headers: { authorization: 'Bearer the-secret-key' },
      body: { model: 'small', stream: true, stream_options: { include_usage: true } },
    });
    expect(asked[0]?.body.messages.at(-1)).toEqual({ role: 'user', content: 'How are you?' });
    expect(node.logged.join('')).not.toContain('the-secret-key');
  });

  test('uses the node: real entities go to the model, and the answer cites them', async () => {
    const { id: inside } = await collection(node, owner, { label: 'Paintings' });
    const { id: painter } = await create(node, owner, { type: 'person', properties: { label: 'Vincent' } });
    const relationships = [{ predicate: 'created_by', peer: painter, peer_type: 'person' }];
    const properties = { label: 'Self-Portrait', year: 1889 };
    const { id } = await create(node, owner, { type: 'artwork', collection: inside, properties, relationships });
    const asked = script(
      calls(
        { name: 'find_entities', args: { collection: inside, label: 'self-p' } },
        { name: 'get_relationships', args: { id, predicate: 'created_by' } },
      ),
      calls({ name: 'get_entity', args: { id } }),
      says(`It is [Self-Portrait](arke:${id}) by [Vincent](arke:${painter}), not [Nobody](arke:${'0'.repeat(26)}).`),
    );
    const { parts, chatId, text } = await chat(node, owner, 'Which portrait is from 1889?');

    const outputs = parts.filter(({ type }) => type === 'tool-output-available').map(({ output }) => output);
    expect(outputs[0]).toEqual({ entities: [{ id, type: 'artwork', label: 'Self-Portrait' }] });
    expect(outputs[1]).toMatchObject({ relationships: [{ peer: painter, peer_label: 'Vincent' }], total: 1 });
    expect(outputs[2]).toMatchObject({ id, properties, ver: 1, relationship_count: 2 });
    // Each call is there three times: begun, complete, answered.
    for (const type of ['tool-input-start', 'tool-input-available', 'tool-output-available'])
      expect(parts.filter((part) => part.type === type)).toHaveLength(3);
    expect(parts.filter(({ type }) => type === 'start-step')).toHaveLength(3);

    // What the tools found has gone to the model, in the order of the calls.
    const [, second, third] = asked.map(({ body }) => body.messages);
    expect(second?.slice(-3).map(({ role }) => role)).toEqual(['assistant', 'tool', 'tool']);
    expect(second?.at(-2)?.content).toBe(JSON.stringify(outputs[0]));
    expect(third?.at(-1)?.content).toBe(JSON.stringify(outputs[2]));

    expect(parts.filter(({ type }) => type === 'source-document')).toEqual([
      { type: 'source-document', sourceId: id, mediaType: 'application/json', title: 'Self-Portrait' },
      { type: 'source-document', sourceId: painter, mediaType: 'application/json', title: 'Vincent' },
    ]);
    expect(parts.at(-1)).toEqual({ type: 'message_delta', delta: { usage: { input_tokens: 33, output_tokens: 21 } } });
    const [, answer] = (await session(owner, chatId)).messages;
    expect(answer).toMatchObject({
      role: 'assistant',
      content: text,
      citations: [
        { id, type: 'artwork', label: 'Self-Portrait' },
        { id: painter, type: 'person', label: 'Vincent' },
      ],
    });
    expect(answer?.toolInvocations).toMatchObject([
      { toolName: 'find_entities', args: { label: 'self-p' }, result: outputs[0], state: 'output-available' },
      { toolName: 'get_relationships', state: 'output-available' },
      { toolName: 'get_entity', args: { id }, result: outputs[2], state: 'output-available' },
    ]);
    expect(answer?.id).toBe(parts[0]?.messageId);
  });

  test('cites what it was shown where it names nothing', async () => {
    const { id } = await create(node, owner, { properties: { label: 'The only one' } });
    script(calls({ name: 'get_history', args: { id } }), says('It has one version.'));
    const { parts } = await chat(node, owner, 'How many versions?');
    expect(parts.filter(({ type }) => type === 'source-document').map(({ sourceId }) => sourceId)).toEqual([id]);
  });

  test('looks into history: versions, one of them, and what changed', async () => {
    const first = await create(node, owner, { properties: { label: 'Draft' } });
    const second = await update(node, owner, first, { properties: { label: 'Final' }, note: 'done' });
    script(
      calls(
        { name: 'get_history', args: { id: first.id } },
        { name: 'get_version', args: { cid: first.cid } },
        { name: 'compare_versions', args: { id: first.id } },
      ),
      says('It was renamed.'),
    );
    const { parts } = await chat(node, owner, 'What changed?');
    const outputs = parts.filter(({ type }) => type === 'tool-output-available').map(({ output }) => output);
    expect(outputs).toMatchObject([
      { versions: [{ ver: 2, cid: second.cid, note: 'done' }, { ver: 1 }] },
      { cid: first.cid, manifest: { properties: { label: 'Draft' } } },
      { changes: { properties: { changed: { label: { from: 'Draft', to: 'Final' } } } } },
    ]);
  });

  test('follows the graph: paths between two entities, and what is around one', async () => {
    const named = (label: string, relationships: object[] = []) =>
      create(node, owner, { properties: { label }, relationships });
    const sea = await named('Sea');
    const works = [await named('Waves', [{ predicate: 'shows', peer: sea.id }])];
    works.push(await named('Storm', [{ predicate: 'shows', peer: sea.id }]));
    const [from = '', to = ''] = works.map(({ id }) => id);
    script(
      calls(
        { name: 'find_paths', args: { from, to } },
        { name: 'get_neighbours', args: { id: from, steps: 2 } },
        { name: 'get_neighbours', args: { id: from, direction: 'incoming', predicate: 'shows', type: 'document' } },
        { name: 'find_paths', args: { from, to, max_depth: 5 } },
      ),
      says('Both show the sea.'),
    );
    const { parts } = await chat(node, owner, 'What do they have in common?');
    const results = parts.filter(({ type }) => type.startsWith('tool-output'));
    const [waves, water, storm] = [
      { id: from, type: 'document', label: 'Waves' },
      { id: sea.id, type: 'document', label: 'Sea' },
      { id: to, type: 'document', label: 'Storm' },
    ];
    const seen = { predicate: 'shows', direction: 'outgoing', id: sea.id };
    expect(results.map(({ output }) => output)).toEqual([
      {
        paths: [
          [
            { subject: waves, predicate: 'shows', object: water },
            { subject: storm, predicate: 'shows', object: water },
          ],
        ],
        more: false,
      },
      {
        neighbours: [
          { ...water, way: [seen] },
          { ...storm, way: [seen, { predicate: 'shows', direction: 'incoming', id: to }] },
        ],
        more: false,
      },
      { neighbours: [], more: false },
      undefined,
    ]);
    expect(results.at(-1)?.errorText).toContain('max_depth');
  });

  test('searches, and queries in the Argo language, and names what it cites from there', async () => {
    const { id: home } = await collection(node, owner, { label: 'Harbour museum' });
    const made = (type: string, label: string, relationships: object[] = []) =>
      create(node, owner, { type, collection: home, properties: { label }, relationships, sync_index: true });
    const painter = await made('painter', 'Ines Lighthouse');
    const picture = await made('picture', 'Brigantine at anchor', [{ predicate: 'made_by', peer: painter.id }]);
    script(
      calls(
        { name: 'list_collections', args: { limit: 1 } },
        { name: 'search', args: { text: 'brigantine', collection: home, types: ['picture'] } },
        { name: 'query', args: { path: '"brigantine" type:picture -[made_by]-> type:painter', collection: home } },
        { name: 'query', args: { path: '"brigantine" -[' } },
      ),
      says(`It is by [Ines Lighthouse](arke:${painter.id}), see [it](arke:${picture.id}).`),
    );
    const { parts, chatId } = await chat(node, stranger, 'Who painted the brigantine?');
    const [collections, hits, paths, wrong] = parts.filter(({ type }) => type.startsWith('tool-output'));
    expect(collections?.output).toMatchObject({ collections: [{ id: home, label: 'Harbour museum' }] });
    expect(hits?.output).toMatchObject({ results: [{ id: picture.id, label: 'Brigantine at anchor' }] });
    expect(paths?.output).toMatchObject({
      results: [{ entity: { id: painter.id }, path: [{ entity: picture.id }, { edge: 'made_by' }] }],
      metadata: { hops: 1, k: 10 },
    });
    expect(wrong?.errorText).toBe('Wrong arguments. path: relation term expected at position 15');
    const { messages } = await session(stranger, chatId);
    expect(messages.at(-1)?.citations).toEqual([
      { id: painter.id, type: 'painter', label: 'Ines Lighthouse' },
      { id: picture.id, type: 'picture', label: 'Brigantine at anchor' },
    ]);
  });

  test('tools have the permissions of who asks: own collections, no deleted entity, no other network', async () => {
    const { id: mine } = await collection(node, owner, { label: 'Mine' });
    const gone = await create(node, owner, { collection: mine, properties: { label: 'Gone', secret: 'buried' } });
    await remove(node, owner, gone);
    const onTest = (await ask(node, owner, 'POST /entities', { type: 'document' }, { 'X-Arke-Network': 'test' })).body;
    const used = [
      { name: 'my_collections', args: {} },
      { name: 'get_entity', args: { id: gone.id } },
      { name: 'get_entity', args: { id: (onTest as { id: string }).id } },
    ];
    const asked = script(calls(...used), says('Nothing.'));
    const { parts } = await chat(node, stranger, 'What is there?');
    const results = parts.filter(({ type }) => type.startsWith('tool-output'));
    expect(results).toMatchObject([
      { type: 'tool-output-available', output: { collections: [], has_more: false } },
      { type: 'tool-output-error', errorText: 'Entity not found' },
      { type: 'tool-output-error', errorText: expect.stringContaining('is not an id of the main network') },
    ]);
    expect(JSON.stringify(asked[1]?.body)).not.toContain('buried');

    script(calls({ name: 'my_collections', args: {} }), says('These.'));
    const own = await chat(node, owner, 'What is mine?');
    const [found] = own.parts.filter(({ type }) => type === 'tool-output-available');
    expect(found?.output.collections).toContainEqual({ id: mine, label: 'Mine', role: 'owner' });
  });

  test('wrong calls go back to the model in words', async () => {
    const used = [
      { name: 'launch', args: {} },
      { name: 'get_entity', args: { id: 'nobody' } },
      { name: 'get_entity', args: '["a list"]' },
      { name: 'list_entities', args: '{"collection": ' },
    ];
    const asked = script(calls(...used), says('Sorry.'));
    const { parts, text } = await chat(node, owner, 'Do something odd.');
    expect(text).toBe('Sorry.');
    const told = asked[1]?.body.messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
    expect(told).toEqual([
      expect.stringContaining('There is no tool of that name: use my_collections,'),
      'Wrong arguments. id: must be an entity id',
      'The arguments are no JSON object.',
      'The arguments are no JSON object.',
    ]);
    expect(parts.filter(({ type }) => type === 'tool-input-error')).toHaveLength(2);
    expect(parts.filter(({ type }) => type === 'tool-output-error')).toHaveLength(4);
    // What comes back to the endpoint is JSON that it can read.
    const echoed = asked[1]?.body.messages.at(-5)?.tool_calls as { id: string; function: { arguments: string } }[];
    expect(echoed.map((one) => one.function.arguments)).toEqual(['{}', '{"id":"nobody"}', '{}', '{}']);
  });

  test('every call has an id of its own, whatever the endpoint says', async () => {
    const { id } = await create(node, owner);
    const same = { name: 'get_entity', args: { id }, id: 'same' };
    const asked = script(calls(same, same), calls(same, { ...same, id: '' }), says('Done.'));
    const { parts } = await chat(node, owner, 'Look twice.');
    const ids = parts.filter(({ type }) => type === 'tool-output-available').map(({ toolCallId }) => toolCallId);
    expect(new Set(ids).size).toBe(4);
    const echoed = asked[2]?.body.messages.flatMap(({ tool_call_id }) => tool_call_id ?? []);
    expect(echoed).toEqual(ids);
  });

  test('a call that gets an id of the node gets none that the endpoint has given another', async () => {
    const { id } = await create(node, owner);
    const given = (id: string) => ({ name: 'get_entity', args: {}, id });
    const asked = script(
      calls(given('call_2'), { ...given(''), args: { id } }, given('call_4'), given('')),
      says('Done.'),
    );
    const { parts } = await chat(node, owner, 'Look often.');
    const ids = parts.filter(({ type }) => type === 'tool-input-start').map(({ toolCallId }) => toolCallId);
    expect(ids).toEqual(['call_2', 'call_3', 'call_4', 'call_5']);
    const echoed = asked[1]?.body.messages.flatMap(({ tool_call_id }) => tool_call_id ?? []);
    expect(echoed).toEqual(ids);
  });

  test('a long result is cut, and says so', async () => {
    const { id } = await create(node, owner, { properties: { label: 'Long', text: 'x'.repeat(100_000) } });
    const asked = script(calls({ name: 'get_entity', args: { id } }), says('It is long.'));
    const { parts } = await chat(node, owner, 'Read it.');
    const [{ output } = { output: undefined }] = parts.filter(({ type }) => type === 'tool-output-available');
    expect(output.cut).toMatch(/^The result has 100\d{3} characters/);
    expect(asked[1]?.body.messages.at(-1)?.content.length).toBeLessThan(30_000);
  });

  test('asks at most eight times, the last time for words', async () => {
    const asked = script(calls({ name: 'my_collections', args: {} }));
    const { parts, end, chatId } = await chat(node, owner, 'Never end.');
    expect(asked.map(({ body }) => body.tool_choice)).toEqual([...Array(7).fill('auto'), 'none']);
    expect(parts.slice(-3)).toMatchObject([
      { type: 'error', errorText: 'The language model asked for tools 8 times without an answer.' },
      { type: 'finish' },
      { type: 'message_delta', delta: { usage: { input_tokens: 88 } } },
    ]);
    expect(end).toBe('[DONE]');
    expect((await session(owner, chatId)).messages[1]?.toolInvocations).toHaveLength(8);
  });
});

describe('a session', () => {
  test('goes on: the model gets what was said, of either role', async () => {
    const asked = script(says('First answer.'), says('Second answer.'));
    const { chatId } = await chat(node, owner, 'First question?');
    const again = await chat(node, owner, 'Second question?', chatId);
    expect(again.chatId).toBe(chatId);
    expect(asked[1]?.body.messages.slice(1)).toEqual([
      { role: 'user', content: 'First question?' },
      { role: 'assistant', content: 'First answer.' },
      { role: 'user', content: 'Second question?' },
    ]);
    expect((await session(owner, chatId)).messages.map(({ role, content }) => [role, content])).toEqual([
      ['user', 'First question?'],
      ['assistant', 'First answer.'],
      ['user', 'Second question?'],
      ['assistant', 'Second answer.'],
    ]);
  });

  test('that is longer than what goes to the model begins there with the user', async () => {
    const asked = script(says('Yes.'));
    const messages = Array.from({ length: 60 }, (_, i) => [
      { id: `q${i}`, role: 'user', content: `Question ${i}` },
      { id: `a${i}`, role: 'assistant', content: `Answer ${i}` },
    ]).flat();
    await ask(node, owner, 'POST /chat', { messages: [...messages, { id: 'now', role: 'user', content: 'Now?' }] });
    const [system, ...rest] = asked[0]?.body.messages ?? [];
    expect([system?.role, rest.length]).toEqual(['system', 41]);
    expect(rest.slice(0, 2)).toEqual([
      { role: 'user', content: '…' },
      { role: 'assistant', content: 'Answer 40' },
    ]);
    expect(rest.map(({ content }) => content).slice(-3)).toEqual(['Question 59', 'Answer 59', 'Now?']);
  });

  test('has no message without words for the model, such as that of an answer that was only begun', async () => {
    const asked = script(
      calls({ name: 'my_collections', args: {} }),
      (response) => void response.destroy(),
      says('Yes.'),
    );
    const { chatId } = await chat(node, owner, 'First question?');
    expect((await session(owner, chatId)).messages.map(({ content }) => content)).toEqual(['First question?', '']);
    await chat(node, owner, 'Second question?', chatId);
    expect(asked[2]?.body.messages.slice(1)).toEqual([
      { role: 'user', content: 'First question?\n\nSecond question?' },
    ]);
  });

  test('of which the client sends very much is read where it holds up nobody', async () => {
    const asked = script(says('Yes.'));
    const parts = Array.from({ length: 130_000 }, () => ({ type: 'a' }));
    const before = Array.from({ length: 8 }, (_, i) => ({ id: `t${i}`, role: 'assistant', parts }));
    const said = { id: 'said', role: 'user', content: 'Earlier' };
    const now = { id: 'now', role: 'user', parts: [{ type: 'text', text: 'Now?' }] };
    const body = Buffer.from(JSON.stringify({ messages: [...before, said, now] }));
    const json = { 'Content-Type': 'application/json' };
    const elsewhere = vi.spyOn(node.ctx.largeRequests, 'shortenChat');
    const { text, chatId } = chatted(await ask(node, owner, 'POST /chat', body, json));
    expect(elsewhere).toHaveBeenCalledOnce();
    elsewhere.mockRestore();
    expect(text).toBe('Yes.');
    expect(asked[0]?.body.messages.slice(1)).toEqual([{ role: 'user', content: 'Earlier\n\nNow?' }]);
    expect((await session(owner, chatId)).messages.map(({ id }) => id).slice(0, 2)).toEqual(['said', 'now']);
    const wrong = JSON.stringify({ messages: [{ id: 'x', role: 'nobody', parts }] });
    const issues = [{ path: ['messages', 0, 'role'], message: expect.any(String) }];
    const refused = await ask(node, owner, 'POST /chat', Buffer.from(wrong), json);
    expect(refused).toMatchObject({ status: 400, body: { details: { issues } } });
  });

  test('a new one takes what the client has from before; system messages go to the front', async () => {
    const asked = script(says('Yes.'));
    const messages = [
      { id: 's', role: 'system', content: 'Be brief.' },
      { id: 'a', role: 'user', parts: [{ type: 'step-start' }, { type: 'text', text: 'Earlier' }] },
      { id: 'b', role: 'assistant', parts: [{ type: 'tool-x', toolCallId: 'c', output: {} }] },
      { id: 'c', role: 'assistant', content: 'Then' },
      {
        id: 'd',
        role: 'user',
        parts: [
          { type: 'text', text: 'Now?' },
          { type: 'file', url: 'data:,x' },
        ],
      },
    ];
    const { chatId } = chatted(await ask(node, owner, 'POST /chat', { messages }));
    const [system, ...rest] = asked[0]?.body.messages ?? [];
    expect(system?.content).toMatch(/\n\nBe brief\.$/);
    expect(rest.map(({ content }) => content)).toEqual(['Earlier', 'Then', 'Now?']);
    const { messages: kept, title } = await session(owner, chatId);
    expect(kept.map(({ id }) => id).slice(0, 4)).toEqual(['s', 'a', 'c', 'd']);
    expect(title).toBe('Be brief.');
  });

  test('asked again with the same message, the answer is made anew', async () => {
    script(says('One.'), says('Two.'), says('Three.'));
    const { chatId } = await chat(node, owner, 'Same?', undefined, 'id-1');
    await chat(node, owner, 'Same?', chatId, 'id-1');
    expect((await session(owner, chatId)).messages.map(({ content }) => content)).toEqual(['Same?', 'Two.']);
    // Another text under a known id is another message.
    await chat(node, owner, 'Other?', chatId, 'id-1');
    const { messages } = await session(owner, chatId);
    expect(messages.map(({ content }) => content)).toEqual(['Same?', 'Two.', 'Other?', 'Three.']);
    expect(new Set(messages.map(({ id }) => id)).size).toBe(4);
  });

  test('is listed with its title and a preview without Markdown, newest activity first, in pages', async () => {
    const reader = await user(node, 'reader');
    const link = '[The **Night** Watch](arke:01J00000000000000000000000)';
    script(says(`## Found\n\n- ${link} is _here_, \`code\` and **bold**\n\n${'and more '.repeat(30)}`));
    const long = `${'ä'.repeat(48)}🎨🖼 and what follows`;
    const ids: string[] = [];
    for (const text of ['one', 'two', long]) ids.unshift((await chat(node, reader, text)).chatId);
    await chat(node, reader, 'again', ids[2]);
    const order = [ids[2], ids[0], ids[1]];
    const page = ok<Sessions>(await ask(node, reader, 'GET /chat/sessions?limit=2'));
    expect(page).toMatchObject({ total: 3, hasMore: true });
    expect(page.chats.map(({ id }) => id)).toEqual(order.slice(0, 2));
    expect(page.chats.map(({ title }) => title)).toEqual(['one', `${'ä'.repeat(48)}🎨🖼`]);
    expect(page.chats[0]?.lastMessagePreview).toMatch(/^Found The Night Watch is here, code and bold and more /);
    expect(page.chats[0]?.lastMessagePreview).toHaveLength(100);
    const rest = ok<Sessions>(await ask(node, reader, 'GET /chat/sessions?limit=2&offset=2'));
    expect(rest).toMatchObject({ total: 3, hasMore: false, chats: [{ id: order[2] }] });
    expect(ok<Sessions>(await ask(node, stranger, 'GET /chat/sessions')).chats.map(({ id }) => id)).not.toContain(
      ids[0],
    );
  });

  test('belongs to its owner, on its network', async () => {
    script(says('Private.'));
    const { chatId } = await chat(node, owner, 'Between us');
    const body = { messages: [{ id: 'x', role: 'user', content: 'hello' }] };
    const tries = (who: Person, headers: Record<string, string> = {}) =>
      Promise.all([
        ask(node, who, `GET /chat/sessions/${chatId}`, undefined, headers),
        ask(node, who, `DELETE /chat/sessions/${chatId}`, undefined, headers),
        ask(node, who, 'POST /chat', body, { ...headers, ...inSession(chatId) }),
      ]);
    for (const answer of await tries(stranger)) expect(answer.status).toBe(403);
    for (const answer of await tries(owner, { 'X-Arke-Network': 'test' })) expect(answer.status).toBe(404);
    expect((await session(owner, chatId)).messages).toHaveLength(2);
    const machine = onBehalf(service(node), owner);
    expect((await session(machine, chatId)).ownerId).toBe(owner.id);
  });

  test('is deleted with all its messages', async () => {
    script(says('Soon gone.'));
    const { chatId } = await chat(node, owner, 'Remember this');
    for (let i = 0; i < 25; i++) await chat(node, owner, `more ${i}`, chatId);
    expect((await session(owner, chatId)).messages).toHaveLength(52);
    expect(ok(await ask(node, owner, `DELETE /chat/sessions/${chatId}`))).toEqual({ success: true });
    const after = await Promise.all([
      ask(node, owner, `GET /chat/sessions/${chatId}`),
      ask(node, owner, `DELETE /chat/sessions/${chatId}`),
      ask(node, owner, 'POST /chat', { messages: [{ id: 'x', role: 'user', content: 'hi' }] }, inSession(chatId)),
    ]);
    expect(after.map(({ status, body }) => [status, body])).toEqual(
      Array(3).fill([404, lacking('There is no such chat session')]),
    );
  });

  test('is for users: no processor chats', async () => {
    const { id } = await create(node, owner, {
      type: 'klados',
      collection: (await collection(node, owner)).id,
      properties: { label: 'k', status: 'development' },
    });
    const agent = processor(node, id, owner);
    const body = { messages: [{ id: 'x', role: 'user', content: 'hello' }] };
    const lines: [string, unknown?][] = [
      ['POST /chat', body],
      ['GET /chat/sessions'],
      ['GET /chat/sessions/x'],
      ['DELETE /chat/sessions/x'],
    ];
    for (const [line, sent] of lines)
      expect(await ask(node, agent, line, sent)).toMatchObject({ status: 403, body: { error: 'Only users can chat' } });
  });
});
