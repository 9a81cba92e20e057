import type { ProviderDialect } from '../dialect.ts';
import { chat } from './chat.ts';
import { embeddings } from './embeddings/embeddings.ts';
import { head, probe } from './head.ts';
import { images } from './images/images.ts';
import { refusal, refusalDetails } from './refusal.ts';
import { speech } from './speech/speech.ts';

/** Google's API of Gemini: generateContent, and `predict` of Imagen. */
export const gemini: ProviderDialect = {
  head,
  probe,
  requestIdHeader: 'x-goog-request-id',
  refusal,
  refusalDetails,
  endpoints: { chat, embeddings, images, speech },
};
