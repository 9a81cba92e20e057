import type { CatalogDocumentInput } from '@model-gateway/shared';
import { modelEntry, simulatedCatalog } from '@model-gateway/test-kit';
import { describeHoldUp } from './describe-hold-up.ts';
import { filled, type HostileBody, MEBIBYTE, manyWrongMessages } from './hostile-body-families.ts';

/** Beside the simulated models one whose provider speaks Messages, and one with a tokenizer. */
function document(baseUrl: string): CatalogDocumentInput {
  const { models, providers } = simulatedCatalog(baseUrl);
  const [sim] = providers;
  if (sim === undefined) throw new Error('no provider');
  const chat = (id: string, provider: string, model: string) => modelEntry(id, { [provider]: model });
  return {
    providers: [sim, { ...sim, id: 'claude', kind: 'anthropic' as const }],
    models: [...models, chat('claude/chat', 'claude', 'claude-x'), chat('sim/omni', 'sim', 'gpt-4o')],
  };
}

const body =
  (path: string, model: string) =>
  (members: string, status = 200): HostileBody => ({
    path,
    contentType: 'application/json',
    body: Buffer.from(`{"model":"${model}","max_tokens":1,${members}}`),
    status,
  });
/** A caller of Messages, at a provider of Chat Completions. */
const messages = body('/v1/messages', 'sim/chat-free');
/** A caller of Chat Completions, at a provider of Messages. */
const completions = body('/v1/chat/completions', 'claude/chat');
const count = body('/v1/messages/count_tokens', 'sim/omni');

/** A caller of Responses, at a provider of Chat Completions and at one of Messages. */
const responses = (members: string, status = 200, model = 'sim/chat-free'): HostileBody => ({
  path: '/v1/responses',
  contentType: 'application/json',
  body: Buffer.from(`{"model":"${model}","max_output_tokens":1,${members}}`),
  status,
});

const ofUser = (content: string) => `"messages":[{"role":"user","content":${content}}]`;
const DATA = filled('QUJD', 2 * MEBIBYTE);
const PICTURE = `{"type":"image","source":{"type":"base64","media_type":"image/png","data":"${DATA}"}}`;
const PICTURE_URL = `{"type":"image_url","image_url":{"url":"data:image/png;base64,${DATA}"}}`;
const INPUT_PICTURE = `{"type":"input_image","image_url":"data:image/png;base64,${DATA}"}`;
/** Together with the pictures, these stay below the most values that a body may have. */
const SMALL_PARTS = Array.from({ length: 60_000 }, () => '{"type":"text","text":"x"}').join(',');
/** As many bytes and values as a body may have: translated on the spot, these would hold up everybody. */
const eight = (picture: string) => Array.from({ length: 8 }, () => `${picture},`).join('');
const everything = (picture: string) => ofUser(`[${eight(picture)}${SMALL_PARTS}]`);
const SMALL_INPUTS = SMALL_PARTS.replaceAll('"type":"text"', '"type":"input_text"');
const allOfInput = `"input":[{"role":"user","content":[${eight(INPUT_PICTURE)}${SMALL_INPUTS}]}]`;
const MANY_ITEMS = Array.from({ length: 25_000 }, () => '{"role":"user","content":"x"}').join(',');
const MANY_TOOLS = Array.from(
  { length: 1_000 },
  (_, index) => `{"type":"function","name":"a name that is long ${filled('x', 80)} ${index}"}`,
).join(',');

describeHoldUp('while a large request is translated, other connections are answered as before', {
  document,
  first: manyWrongMessages,
  families: {
    'pictures and many small blocks of Messages': () => messages(everything(PICTURE)),
    'pictures and many small parts of Chat Completions': () => completions(everything(PICTURE_URL)),
    'a long text of Messages': () => messages(ofUser(`"${filled('漢', 6 * MEBIBYTE)}"`)),
    'a long text of Chat Completions': () => completions(ofUser(`"${filled('漢', 6 * MEBIBYTE)}"`)),
    'pictures and many small parts of Responses': () => responses(allOfInput),
    'pictures and many small parts of Responses for Messages': () =>
      responses(allOfInput, 200, 'claude/chat'),
    'many items of Responses': () => responses(`"input":[${MANY_ITEMS}]`),
    'many tools of Responses': () => responses(`"input":"x","tools":[${MANY_TOOLS}]`),
    'a long text of Responses': () => responses(`"input":"${filled('漢', 6 * MEBIBYTE)}"`),
    'a refusal of Responses': () => responses(`${allOfInput},"top_logprobs":2`, 400),
    'a refusal of Messages': () =>
      messages(`${everything(PICTURE)},"tools":[{"type":"web_search_20250305","name":"a"}]`, 400),
    'a refusal of Chat Completions': () => completions(`${everything(PICTURE_URL)},"n":2`, 400),
    'a count of words': () => count(ofUser(`"${filled('word and ', 4 * MEBIBYTE)}"`)),
    'a count of one long word': () => count(ofUser(`"${filled('漢', MEBIBYTE)}"`)),
  },
});
