import type Anthropic from '@anthropic-ai/sdk';
import { withGateway } from '@model-gateway/test-kit';
import type OpenAI from 'openai';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { anthropicOf, openAiOf } from '../endpoints/official-clients.ts';
import { GEMINI, geminiDocument } from './gemini.ts';

const MODEL = GEMINI.draws;

const gateway = withGateway({ document: geminiDocument });

const TEXT = 'Draw a glacier.';
const DATA_URL = /^data:image\/png;base64,(iVBOR[A-Za-z0-9+/=]+)$/;

const openAi = () => openAiOf(gateway);

async function message(messages: Anthropic.MessageParam[], isStreamed: boolean) {
  const request = { model: MODEL, max_tokens: 4_000, messages };
  const client = anthropicOf(gateway).messages;
  return isStreamed ? await client.stream(request).finalMessage() : await client.create(request);
}

async function response(input: OpenAI.Responses.ResponseInput, isStreamed: boolean) {
  const request = { model: MODEL, store: false, input };
  const client = openAi().responses;
  return isStreamed ? await client.stream(request).finalResponse() : await client.create(request);
}

/** A message goes back to its own model as it came. */
const asInput = z.array(z.custom<OpenAI.Responses.ResponseInputItem>());
const drawn = z.looseObject({
  contents: z.array(
    z.looseObject({
      role: z.string(),
      parts: z.array(z.looseObject({ inlineData: z.object({ data: z.string() }).optional() })),
    }),
  ),
});

/** The pictures of the model in what Gemini was last asked. */
function picturesAsked(): (string | undefined)[] {
  const { contents } = drawn.parse(gateway.provider.requests.at(-1)?.body);
  const parts = contents.filter(({ role }) => role === 'model').flatMap((content) => content.parts);
  return parts.flatMap(({ inlineData }) => (inlineData === undefined ? [] : [inlineData.data]));
}

describe.each([
  ['streamed', true],
  ['whole', false],
])('a picture that a model of Gemini answers with, %s', (_title, isStreamed) => {
  it('a caller of Messages gets the picture as a text, which is a picture again in the next turn', async () => {
    const asked: Anthropic.MessageParam = { role: 'user', content: TEXT };
    const { content, usage } = await message([asked], isStreamed);
    const [url] = content.flatMap((block) =>
      block.type === 'text' ? (/^!\[image\]\((data:.*)\)$/.exec(block.text)?.[1] ?? []) : [],
    );
    const base64 = DATA_URL.exec(url ?? '')?.[1];
    expect(base64).toBeDefined();
    expect(content.filter(({ type }) => type === 'text')).toHaveLength(2);
    expect(usage.output_tokens).toBeGreaterThan(1_290);
    const bill = [
      asked,
      { role: 'assistant' as const, content },
      { role: 'user' as const, content: 'Again.' },
    ];
    await message(bill, isStreamed);
    expect(picturesAsked()).toEqual([base64]);
  });

  it('a caller of Responses gets the picture as an item, which is a picture again in the next turn', async () => {
    const asked = { role: 'user' as const, content: TEXT };
    const { output, output_text } = await response([asked], isStreamed);
    const [picture] = output.flatMap((item) => (item.type === 'image_generation_call' ? [item] : []));
    expect(picture).toMatchObject({ status: 'completed', result: expect.stringMatching(/^iVBOR/) });
    expect(output_text).not.toContain('base64');
    await response([asked, ...asInput.parse(output), { role: 'user', content: 'Again.' }], isStreamed);
    expect(picturesAsked()).toEqual([picture?.result]);
  });

  it('a caller of Chat Completions gets the picture in `images`, and it is a picture again in the next turn', async () => {
    const asked = { role: 'user' as const, content: TEXT };
    const images = await imagesOfCompletion([asked], isStreamed);
    const base64 = DATA_URL.exec(images[0]?.image_url.url ?? '')?.[1];
    expect(base64).toBeDefined();
    await imagesOfCompletion(
      [asked, { role: 'assistant', content: 'Here it is.', images }, { role: 'user', content: 'Again.' }],
      isStreamed,
    );
    expect(picturesAsked()).toEqual([base64]);
  });
});

const withImages = z.looseObject({
  images: z.array(z.looseObject({ image_url: z.object({ url: z.string() }) })).optional(),
});

async function imagesOfCompletion(messages: object[], stream: boolean) {
  const answered = await gateway.ask('chat/completions', { model: MODEL, messages, stream });
  const { body: text } = answered;
  expect(answered.status, text).toBe(200);
  expect(answered.headers.get('x-gateway-ignored')).toBeNull();
  const choice = z.looseObject({ message: withImages.optional(), delta: withImages.optional() });
  const bodies = stream ? [...text.matchAll(/^data: (\{.*)$/gm)].map(([, data = '']) => data) : [text];
  return bodies
    .flatMap((body) => z.looseObject({ choices: z.array(choice) }).parse(JSON.parse(body)).choices)
    .flatMap(({ delta, message }) => (delta ?? message)?.images ?? []);
}
