import type { ChatMeter, Usage } from '@model-gateway/dialects';
import { NO_UNITS } from '@model-gateway/shared';
import { require } from './fuzz-target.ts';

const UNITS = Object.keys(NO_UNITS);

/** @throws Error unless a meter counts whole numbers that are not negative, however its chat has ended */
export function requireSaneUsage(meter: ChatMeter, isComplete: boolean): void {
  requireSane(meter.usage(isComplete));
  requireSane(meter.usage(false));
  requireSane(meter.usageOfLeftStream(performance.now(), true));
}

export function requireSane(usage: Usage | undefined): void {
  if (usage === undefined) return;
  for (const unit of UNITS) {
    const count: unknown = Reflect.get(usage, unit);
    require(Number.isSafeInteger(count) && Number(count) >= 0, `${unit} is ${count}`);
  }
}
