import type { IncomingMessage } from 'node:http';

export function readBetas({ headers }: Pick<IncomingMessage, 'headers'>): string[] {
  const names = [headers['anthropic-beta'] ?? []].flat().join(',').split(',');
  return names.map((name) => name.trim()).filter((name) => name !== '');
}

export function asksForBeta({ url = '' }: Pick<IncomingMessage, 'url'>): boolean {
  const [, ...query] = url.split('?');
  return query.join('?').split('&').includes('beta=true');
}
