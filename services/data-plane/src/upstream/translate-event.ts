import { type EventTranslator, type TranslatedEvents, withReportedWords } from '@model-gateway/dialects';
import { type Secrets, secretRedactor } from './redact.ts';

/** @throws GatewayError with the provider's words, for an error event */
export function translateEvent(
  translator: EventTranslator,
  data: string,
  secrets: Secrets,
): TranslatedEvents {
  try {
    return translator.translate(data);
  } catch (thrown) {
    throw withReportedWords(thrown, data, secretRedactor(secrets));
  }
}
