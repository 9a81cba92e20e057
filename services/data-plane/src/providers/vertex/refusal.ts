import { refusal as anthropicRefusal } from '../anthropic/refusal.ts';
import { refusal as googleRefusal } from '../gemini/refusal.ts';

/** Errors are Google's; what the models of Anthropic find fault with comes in Anthropic's own words. */
export function refusal(bodyText: string): string | undefined {
  return googleRefusal(bodyText) ?? anthropicRefusal(bodyText);
}
