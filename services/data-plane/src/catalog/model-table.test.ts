import type { CatalogMessage } from '@model-gateway/contracts';
import { expect, it } from 'vitest';
import { modelTable } from './model-table.ts';

function model(id: string, capability: string): CatalogMessage['models'][number] {
  return {
    id,
    name: id,
    description: '',
    capability,
    tier: 'free',
    inputModalities: [],
    outputModalities: [],
    upstreams: [],
    pricing: {},
    createdAt: '0',
    timeouts: null,
  };
}

it('a model of a kind that only a newer release knows is left out, and the others are served', () => {
  const { models } = modelTable({
    revision: '1',
    providers: [],
    models: [model('acme/video', 'video'), model('acme/chat', 'chat')],
  });
  expect([...models.keys()]).toEqual(['acme/chat']);
});
