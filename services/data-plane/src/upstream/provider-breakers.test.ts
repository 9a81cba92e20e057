import { accessRefused, causedByRequest, connectionFailure } from '@model-gateway/dialects';
import { GatewayError } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { ClientGone } from '../http/exchange.ts';
import { BreakerOpen, ProviderBreakers } from './provider-breakers.ts';

const fault = () => Promise.reject(new GatewayError('upstream_error', 'failed'));
const refused = () =>
  Promise.reject(
    connectionFailure(new Error('refused'), { isSent: false, hasResponded: false, mayBeRequest: false }),
  );
const success = () => Promise.resolve('fine');

const SMALL = { provider: { id: 'acme' }, model: 'small' };
const LARGE = { provider: { id: 'acme' }, model: 'large' };
const OTHER = { provider: { id: 'other' }, model: 'small' };

function started() {
  const clock = { ms: 0 };
  const breakers = new ProviderBreakers(20, () => clock.ms);
  const as =
    (payer: string) =>
    async (attempt: (answered: () => void) => Promise<unknown>, upstream = SMALL) => {
      const counted = breakers.begin(upstream, payer);
      if (counted instanceof BreakerOpen) return 'open';
      try {
        await attempt(() => counted.answered());
        counted.completed();
        return 'fine';
      } catch (error) {
        counted.failed(error);
        return 'failed';
      }
    };
  const run = as('tenant');
  const repeat = async (times: number, attempt: () => Promise<unknown>, ask = run, upstream = SMALL) => {
    for (let count = 0; count < times; count++) await ask(attempt, upstream);
  };
  return { breakers, clock, as, run, repeat };
}

describe('the breaker of the only payer', () => {
  it('opens at the twentieth failure in ten seconds, for that model alone', async () => {
    const { run, repeat } = started();
    await repeat(19, fault);
    expect(await run(fault)).toBe('failed');
    expect(await run(success)).toBe('open');
    expect(await run(success, LARGE)).toBe('fine');
    expect(await run(success, OTHER)).toBe('fine');
  });

  it('stays closed while less than half fails, and forgets what is older than ten seconds', async () => {
    const { clock, run, repeat } = started();
    await repeat(30, success);
    await repeat(29, fault);
    expect(await run(success)).toBe('fine');
    clock.ms = 17_000;
    await repeat(19, fault);
    expect(await run(success)).toBe('fine');
  });

  it('lets one attempt through after five seconds: a success closes it, a failure keeps it open', async () => {
    const { clock, run, repeat } = started();
    await repeat(20, fault);
    clock.ms = 4_999;
    expect(await run(success)).toBe('open');
    clock.ms = 5_000;
    expect(await run(fault)).toBe('failed');
    expect(await run(success)).toBe('open');
    clock.ms = 10_000;
    expect(await run(success)).toBe('fine');
    expect(await run(success)).toBe('fine');
  });

  it('stays closed when a few attempts fail while thousands of streams run, and opens when those break', async () => {
    const { run, repeat } = started();
    const broken = Promise.withResolvers<never>();
    const streams = Array.from({ length: 100 }, () =>
      run((answered) => {
        answered();
        return broken.promise;
      }),
    );
    await repeat(30, fault);
    expect(await run(success)).toBe('fine');
    broken.reject(new GatewayError('upstream_error', 'broken off'));
    await Promise.all(streams);
    expect(await run(success)).toBe('open');
  });

  it('stays open when streams from before it opened end well', async () => {
    const { run, repeat } = started();
    const ended = Promise.withResolvers<string>();
    const stream = run((answered) => {
      answered();
      return ended.promise;
    });
    await repeat(25, fault);
    ended.resolve('fine');
    expect(await stream).toBe('fine');
    expect(await run(success)).toBe('open');
  });

  it('does not count failures that the request or a permission caused', async () => {
    const { run, repeat } = started();
    await repeat(50, () => Promise.reject(new GatewayError('upstream_rejected', 'no such tool')));
    await repeat(50, () => Promise.reject(new GatewayError('invalid_request', 'half a form')));
    await repeat(50, () => Promise.reject(causedByRequest('the provider answered 402')));
    const forbidden = accessRefused(403, { providerId: 'acme', credentialEnv: undefined });
    await repeat(50, () => Promise.reject(forbidden));
    expect(await run(success)).toBe('fine');
  });

  it('is not kept open, nor closed, by a client that leaves before the provider has answered', async () => {
    const { clock, run, repeat } = started();
    await repeat(20, fault);
    clock.ms = 5_000;
    expect(await run(() => Promise.reject(new ClientGone()))).toBe('failed');
    // Nothing is known yet, and the next one may try at once.
    expect(await run(fault)).toBe('failed');
    expect(await run(success)).toBe('open');
  });

  it('is not tested earlier by clients that leave attempts from before it opened', async () => {
    const { run, repeat } = started();
    const left = Promise.withResolvers<never>();
    const waiting = run(() => left.promise);
    await repeat(20, fault);
    left.reject(new ClientGone());
    await waiting;
    expect(await run(success)).toBe('open');
  });
});

describe('the breaker of a model with several payers', () => {
  it('shuts out the payers that fail, and lets one through that has not failed', async () => {
    const { as, repeat } = started();
    await repeat(20, fault, as('hostile'));
    expect(await as('honest')(fault)).toBe('failed');
    expect(await as('other')(success)).toBe('fine');
    expect(await as('honest')(success)).toBe('fine');
  });

  it('stays closed for a payer whose failures are all there are but for one that is served', async () => {
    const { as, repeat } = started();
    await as('honest')(success);
    await repeat(100, fault, as('hostile'));
    expect(await as('hostile')(fault)).toBe('failed');
    expect(await as('honest')(success)).toBe('fine');
  });

  it('opens for everyone when a third payer agrees, and each of them may test it', async () => {
    const { as, clock, repeat } = started();
    await repeat(20, fault, as('first'));
    await as('second')(fault);
    expect(await as('fourth')(fault, OTHER)).toBe('failed');
    await as('third')(fault);
    expect(await as('fourth')(success)).toBe('open');
    clock.ms = 5_000;
    expect(await as('first')(fault)).toBe('failed');
    expect(await as('first')(fault)).toBe('open');
    expect(await as('fourth')(fault)).toBe('failed');
    expect(await as('fifth')(success)).toBe('open');
    clock.ms = 10_000;
    expect(await as('fifth')(success)).toBe('fine');
    expect(await as('first')(success)).toBe('fine');
  });

  it('shuts out the teams of one account that fail, and nobody else, however many they are', async () => {
    const { as, repeat } = started();
    const teams = Array.from({ length: 40 }, (_, index) => `hostile/team ${index}`);
    for (const team of teams) await repeat(5, fault, as(team));
    for (const team of teams.slice(0, 30)) expect(await as(team)(success)).toBe('open');
    expect(await as('honest')(success)).toBe('fine');
  });

  it('counts the teams of an account once beside other accounts', async () => {
    const { as, repeat } = started();
    for (const payer of ['a', 'b', 'c', 'd']) await as(payer)(success);
    for (const payer of ['x', 'y', 'z/1', 'z/2', 'z/3', 'z/4']) await repeat(50, fault, as(payer));
    expect(await as('late')(success)).toBe('fine');
  });

  it('stays closed while most payers are served, however often three fail', async () => {
    const { as, repeat } = started();
    for (const payer of ['a', 'b', 'c', 'd']) await as(payer)(success);
    for (const payer of ['x', 'y', 'z']) await repeat(50, fault, as(payer));
    expect(await as('late')(success)).toBe('fine');
  });

  it('stays closed when three fail once each while one is served all the time', async () => {
    const { as, repeat } = started();
    await repeat(50, success, as('busy'));
    for (const payer of ['x', 'y', 'z']) await as(payer)(fault);
    expect(await as('x')(success)).toBe('fine');
  });

  it('does not add up failures of payers that are minutes apart', async () => {
    const { as, clock, repeat } = started();
    for (const payer of ['first', 'second', 'third']) {
      await repeat(20, fault, as(payer));
      clock.ms += 60_000;
    }
    expect(await as('fourth')(success)).toBe('fine');
  });

  it('opens for everyone at the failures of one payer while a probe fails', async () => {
    const { as, breakers, repeat } = started();
    breakers.probed('acme', true);
    await repeat(19, fault, as('first'));
    expect(await as('second')(fault)).toBe('failed');
    expect(await as('third')(success)).toBe('open');
  });

  it('knows more payers than it tracks', async () => {
    const { as, repeat } = started();
    for (let payer = 0; payer < 1_000; payer++) await as(`payer ${payer}`)(fault);
    expect(await as('late')(success)).toBe('open');
    const healthy = started();
    for (let payer = 0; payer < 1_000; payer++) await healthy.as(`payer ${payer}`)(success);
    await repeat(20, fault, healthy.as('hostile'));
    expect(await healthy.as('late')(success)).toBe('fine');
  });
});

describe('the breaker of a provider', () => {
  it.each([
    ['the connection is refused', refused],
    [
      'it refuses our credential with a 401',
      () => Promise.reject(accessRefused(401, { providerId: 'acme', credentialEnv: undefined })),
    ],
  ])('opens for everyone and all models when %s, whoever asked', async (_name, failing) => {
    const { as, clock, repeat } = started();
    await repeat(20, failing, as('only'));
    expect(await as('late')(success, LARGE)).toBe('open');
    expect(await as('late')(success, OTHER)).toBe('fine');
    clock.ms = 5_000;
    expect(await as('late')(success, LARGE)).toBe('fine');
    expect(await as('only')(success)).toBe('fine');
  });

  it('stays closed while one of its models works', async () => {
    const { as, repeat } = started();
    await as('first')(success, { ...SMALL, model: 'third' });
    for (const payer of ['first', 'second', 'third']) {
      await repeat(20, fault, as(payer), SMALL);
      await repeat(20, fault, as(payer), LARGE);
    }
    expect(await as('late')(success)).toBe('open');
    expect(await as('late')(success, { ...SMALL, model: 'fourth' })).toBe('fine');
  });

  it('opens for everyone when every model fails for three payers, with few attempts at each', async () => {
    const { as } = started();
    const model = (name: number) => ({ ...SMALL, model: `model ${name}` });
    for (let count = 0; count < 20; count++) await as(`payer ${count % 3}`)(fault, model(count % 10));
    expect(await as('late')(success, model(11))).toBe('open');
  });

  it('shuts out one payer alone that fails at every model', async () => {
    const { as } = started();
    const model = (name: number) => ({ ...SMALL, model: `model ${name}` });
    for (let count = 0; count < 20; count++) await as('hostile')(fault, model(count % 10));
    expect(await as('hostile')(success, model(11))).toBe('open');
    for (let name = 0; name < 12; name++) expect(await as('honest')(success, model(name))).toBe('fine');
  });

  it('is forgotten with its provider, and that of a model with the model', async () => {
    const { breakers, run, repeat } = started();
    await repeat(20, fault);
    expect(breakers.isOpen('acme')).toBe(true);
    const table = (upstreams: object[]) => ({
      providers: new Map([['acme', {}]]),
      models: new Map([['m', { upstreams }]]),
    });
    const keepOnly = (kept: object) => breakers.keepOnly(kept as Parameters<typeof breakers.keepOnly>[0]);
    keepOnly(table([SMALL]));
    expect(await run(success)).toBe('open');
    keepOnly(table([LARGE]));
    expect(breakers.isOpen('acme')).toBe(false);
    expect(await run(success, { ...SMALL })).toBe('fine');
    await repeat(30, refused, run, LARGE);
    expect(breakers.isOpen('acme')).toBe(true);
    keepOnly({ providers: new Map(), models: new Map() });
    expect(breakers.isOpen('acme')).toBe(false);
  });
});
