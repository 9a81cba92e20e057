import { NO_UNITS, type Units } from '@model-gateway/shared';
import type { DemoModel } from './demo-models.ts';
import { type Random, skewed } from './seeded-random.ts';

/** Usage and duration of a successful request. */
export interface DemoAnswer {
  units: Units;
  usageSource: 'provider' | 'gateway';
  durationMs: number;
  /** Only for a stream; undefined otherwise. */
  timeToFirstTokenMs: number | undefined;
}

type Model = Pick<DemoModel, 'capability' | 'contextLength' | 'maxOutputTokens'>;

/** @param streamed only chats are */
export function demoAnswer(model: Model, streamed: boolean, random: Random): DemoAnswer {
  const untimed = { timeToFirstTokenMs: undefined };
  switch (model.capability) {
    case 'chat':
    case 'completions':
      return chat(model, streamed, random);
    case 'embeddings':
    case 'moderation': {
      const inputTokens = atMost(model.contextLength, skewed(random, 200, 6_000));
      const durationMs = skewed(random, 60, 300);
      return { units: { ...NO_UNITS, inputTokens }, usageSource: 'provider', durationMs, ...untimed };
    }
    case 'rerank': {
      const units = { ...NO_UNITS, searchUnits: 1 };
      return { units, usageSource: 'provider', durationMs: skewed(random, 90, 400), ...untimed };
    }
    case 'images': {
      const units = { ...NO_UNITS, images: random() < 0.8 ? 1 : 2 };
      return { units, usageSource: 'gateway', durationMs: skewed(random, 4_000, 15_000), ...untimed };
    }
    case 'speech': {
      const units = { ...NO_UNITS, characters: skewed(random, 80, 1_500) };
      const durationMs = Math.round(400 + units.characters * (3 + random()));
      return { units, usageSource: 'gateway', durationMs, ...untimed };
    }
    case 'transcription': {
      const units = { ...NO_UNITS, audioMs: skewed(random, 5_000, 400_000) };
      const durationMs = Math.round(300 + (units.audioMs / 40) * (0.8 + random() / 2));
      return { units, usageSource: 'gateway', durationMs, ...untimed };
    }
  }
}

function chat({ contextLength, maxOutputTokens }: Model, streamed: boolean, random: Random): DemoAnswer {
  const inputTokens = atMost(contextLength, skewed(random, 120, 4_000));
  const isCached = inputTokens > 1_000 && random() < 0.4;
  const cachedInputTokens = isCached ? Math.floor(inputTokens * (0.3 + random() / 2)) : 0;
  const outputTokens = atMost(maxOutputTokens, skewed(random, 40, 900));
  const firstTokenMs = skewed(random, 160, 900);
  return {
    units: { ...NO_UNITS, inputTokens, cachedInputTokens, outputTokens },
    usageSource: 'provider',
    durationMs: Math.round(firstTokenMs + outputTokens * (7 + 6 * random())),
    timeToFirstTokenMs: streamed ? firstTokenMs : undefined,
  };
}

function atMost(limit: number | undefined, count: number): number {
  return Math.min(limit ?? count, count);
}
