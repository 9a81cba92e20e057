import { accessRefused, causedByRequest } from '@model-gateway/dialects';
import { GatewayError } from '@model-gateway/shared';
import { describe, expect, it } from 'vitest';
import { ClientGone } from '../http/exchange.ts';
import { BreakerOpen, ProviderBreakers } from './provider-breakers.ts';

const fault = () => Promise.reject(new GatewayError('upstream_error', 'failed'));
const success = () => Promise.resolve('fine');

function started() {
  const clock = { ms: 0 };
  const breakers = new ProviderBreakers(20, () => clock.ms);
  const run = (attempt: (answered: () => void) => Promise<unknown>, provider = 'acme') =>
    breakers.run(provider, attempt).then(
      () => 'fine',
      (error: unknown) => (error instanceof BreakerOpen ? 'open' : 'failed'),
    );
  const repeat = async (times: number, attempt: () => Promise<unknown>) => {
    for (let count = 0; count < times; count++) await run(attempt);
  };
  return { clock, run, repeat };
}

describe('the breaker of a provider', () => {
  it('opens at the twentieth failure in ten seconds, for that provider alone', async () => {
    const { run, repeat } = started();
    await repeat(19, fault);
    expect(await run(fault)).toBe('failed');
    expect(await run(success)).toBe('open');
    expect(await run(success, 'other')).toBe('fine');
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
});
