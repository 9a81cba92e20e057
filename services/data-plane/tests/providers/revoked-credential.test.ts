import { modelEntry, withGateway } from '@model-gateway/test-kit';
import { describe, expect, it } from 'vitest';
import { MATRIX_CALLERS } from '../matrix/callers.ts';
import { MATRIX_KINDS } from '../matrix/kinds.ts';

/** Those that are sent a key as it is. */
const KINDS = MATRIX_KINDS.filter(({ kind }) => kind !== 'vertex');
/** Each refuses it in its own way: as 401, 403, or even 400. */
const REVOKED = 'a-key-that-was-revoked';

const idOf = (title: string) => title.toLowerCase().replaceAll(' ', '-');
const variableOf = (title: string) => `${title.toUpperCase().replaceAll(' ', '_')}_KEY`;

const gateway = withGateway({
  environment: Object.fromEntries(KINDS.map(({ title }) => [variableOf(title), REVOKED])),
  document: (baseUrl) => ({
    providers: KINDS.map(({ kind, provider, title }) => {
      const credential_env = variableOf(title);
      return { ...provider(baseUrl), id: idOf(title), name: title, kind, credential_env };
    }),
    models: KINDS.map(({ title, upstreamModel }) =>
      modelEntry(`revoked/${idOf(title)}`, { [idOf(title)]: upstreamModel }),
    ),
  }),
});

describe.each(KINDS)('a key that $title has revoked', ({ title }) => {
  it.each(MATRIX_CALLERS)('a caller of $title gets 502 with advice not to retry', async (caller) => {
    const response = await gateway.post(caller.path, {
      ...caller.request({ turns: [{ user: [{ text: 'Hi.' }] }] }),
      model: `revoked/${idOf(title)}`,
      stream: true,
    });
    const text = await response.text();
    expect(response.status, text).toBe(502);
    expect(response.headers.get('x-should-retry')).toBe('false');
    expect(text).toContain('Retrying does not help: its operator has to act.');
    expect(text).not.toContain(REVOKED);
  });

  it("the operator's log names the variable of a revoked key, once", () => {
    const lines = gateway.logLines('refuses the credential', `"${variableOf(title)}"`);
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatchObject({ provider: idOf(title) });
    expect(gateway.logText()).not.toContain(REVOKED);
  });
});
