import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { writeExactJson } from '../../json/exact-json.ts';
import { writeCarriedState } from '../carried-state.ts';
import {
  ReasoningGatherer,
  readEncryptedContent,
  writeEncryptedContent,
} from './responses-carried-reasoning.ts';

const CLAUDE = 'anthropic-claude-v1';

function gathered(...deltas: object[]) {
  const gatherer = new ReasoningGatherer();
  const text = deltas.map((delta) => gatherer.add({ ...delta })).join('');
  return { text, kept: gatherer.take() };
}

describe('what a provider wants back of its reasoning', () => {
  it('reasoning state survives the way to the caller and back, byte for byte', () => {
    const anything = fc.record(
      {
        field: fc.constantFrom('reasoning_content' as const, 'reasoning' as const),
        details: fc.array(
          fc.record(
            {
              type: fc.constant('reasoning.text'),
              text: fc.string(),
              signature: fc.string({ unit: 'binary' }),
            },
            { requiredKeys: ['type'] },
          ),
          { minLength: 1, maxLength: 3 },
        ),
        calls: fc.array(
          fc.record({ id: fc.string(), extra_content: fc.dictionary(fc.string(), fc.jsonValue()) }),
          { minLength: 1, maxLength: 3 },
        ),
        text: fc.string({ unit: 'binary' }),
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(anything, ({ field, text = '', ...others }) => {
        const kept = { ...others, ...(field === undefined ? {} : { field, text }) };
        const back = readEncryptedContent(writeEncryptedContent(kept));
        expect(JSON.parse(writeExactJson(back))).toEqual(JSON.parse(JSON.stringify(kept)));
      }),
    );
  });

  it('reasoning state is gathered from the pieces of a stream, each entry whole', () => {
    const signature = 'EuYBCkQ+/=';
    const { kept, text } = gathered(
      { reasoning_details: [{ type: 'reasoning.text', text: '', format: CLAUDE, index: 0 }] },
      { reasoning_content: 'Hm', reasoning_details: [{ type: 'reasoning.text', text: 'Hm', index: 0 }] },
      { reasoning_content: '.', reasoning_details: [{ type: 'reasoning.text', text: '.', index: 0 }] },
      { reasoning_details: [{ type: 'reasoning.text', signature, index: 0 }] },
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'a', format: CLAUDE, index: 1 }] },
      { reasoning_details: [{ type: 'reasoning.encrypted', data: 'b', format: CLAUDE, index: 2 }] },
    );
    expect(text).toBe('Hm.');
    expect(kept).toEqual({
      field: 'reasoning_content',
      text: 'Hm.',
      details: [
        { type: 'reasoning.text', text: 'Hm.', format: CLAUDE, signature },
        { type: 'reasoning.encrypted', data: 'a', format: CLAUDE },
        { type: 'reasoning.encrypted', data: 'b', format: CLAUDE },
      ],
    });
  });

  it('a signature ends an entry where entries have no numbers', () => {
    const { kept } = gathered(
      { reasoning_details: [{ type: 'reasoning.text', text: 'a' }] },
      { reasoning_details: [{ type: 'reasoning.text', text: 'b' }] },
      { reasoning_details: [{ type: 'reasoning.text', signature: 's' }] },
      { reasoning_details: [{ type: 'reasoning.text', text: 'c' }] },
    );
    expect(kept.details).toEqual([
      { type: 'reasoning.text', text: 'ab', signature: 's' },
      { type: 'reasoning.text', text: 'c' },
    ]);
  });

  it('the reasoning entries of a whole message stay separate', () => {
    const details = [
      { type: 'reasoning.text', text: 'a' },
      { type: 'reasoning.text', text: 'b' },
      { type: 'reasoning.summary', summary: 'c' },
    ];
    const { kept, text } = gathered({ reasoning_details: details });
    expect(kept).toEqual({ details });
    expect(text).toBe('abc');
  });

  it('carried reasoning says in which member its provider writes it, and never repeats its text', () => {
    const { kept } = gathered({ reasoning: 'Hm.' });
    expect(kept).toEqual({ field: 'reasoning', text: 'Hm.' });
    const told = { field: 'reasoning_content' as const, text: 'Hm.' };
    const details = [{ type: 'reasoning.text', text: 'Hm.', signature: 's' }];
    const both = writeEncryptedContent({ ...told, details });
    expect(readEncryptedContent(both)).toEqual({ ...told, details });
    expect(both.length).toBeLessThan(writeEncryptedContent({ ...told, text: 'Hm?', details }).length);
  });

  it('reasoning state that belongs to a call carries the id of that call', () => {
    const gatherer = new ReasoningGatherer();
    expect(gatherer.isEmpty).toBe(true);
    gatherer.addCall('call_1', { google: { thought_signature: 's' } });
    gatherer.addCall('', { google: {} });
    gatherer.addCall('call_2', undefined);
    expect(gatherer.isEmpty).toBe(false);
    const kept = { calls: [{ id: 'call_1', extra_content: { google: { thought_signature: 's' } } }] };
    expect(readEncryptedContent(writeEncryptedContent(gatherer.take()))).toEqual(kept);
    expect(gatherer.isEmpty).toBe(true);
  });

  it('carried reasoning is limited in size: no provider fills the memory with it', () => {
    const gatherer = new ReasoningGatherer();
    const piece = { reasoning_content: 'x'.repeat(1024 * 1024) };
    const add = () => {
      for (let count = 0; count < 9; count++) gatherer.add(piece);
    };
    expect(add).toThrow(expect.objectContaining({ status: 502 }));
    const many = {
      reasoning_details: Array.from({ length: 10_001 }, () => ({ type: 'reasoning.encrypted' })),
    };
    expect(() => new ReasoningGatherer().add(many)).toThrow(expect.objectContaining({ status: 502 }));
  });
});

describe('carried reasoning that the gateway did not write', () => {
  it.each([
    '',
    'gAAAAABo',
    'kept-by-model-gateway.',
    'kept-by-model-gateway.e30x',
    'kept-by-model-gateway.W10',
  ])('encrypted reasoning of another origin is not taken for our own: %s', (encrypted) => {
    expect(readEncryptedContent(encrypted)).toBeUndefined();
  });

  it('carried reasoning has no members of other kinds than those that the gateway writes', () => {
    const wrong = {
      field: 'content',
      text: 7,
      details: [1, null, 'a'],
      calls: [{ id: 7 }, { id: 'a' }, 'b'],
    };
    expect(readEncryptedContent(writeCarriedState(wrong))).toEqual({});
    expect(readEncryptedContent(writeCarriedState({ field: 'reasoning', text: {}, details: {} }))).toEqual({
      field: 'reasoning',
      text: '',
    });
  });

  it('carried reasoning never nests more deeply than a request may', () => {
    let nested: object = {};
    for (let depth = 0; depth < 200; depth++) nested = { nested };
    expect(readEncryptedContent(writeCarriedState({ details: [nested] }))).toBeUndefined();
  });
});
