import type { ProviderProtocol } from '../dialect.ts';
import { geminiChat } from './chat.ts';
import { geminiEmbeddings } from './embeddings/embeddings.ts';
import { geminiHeaders, geminiProbe } from './head.ts';
import { geminiImages } from './images/images.ts';
import { readGoogleError, readGoogleErrorDetails } from './refusal.ts';
import { geminiSpeech } from './speech/speech.ts';

/** Google's API of Gemini: generateContent, and `predict` of Imagen. */
export const gemini: ProviderProtocol = {
  head: geminiHeaders,
  probe: geminiProbe,
  requestIdHeader: 'x-goog-request-id',
  refusal: readGoogleError,
  refusalDetails: readGoogleErrorDetails,
  endpoints: { chat: geminiChat, embeddings: geminiEmbeddings, images: geminiImages, speech: geminiSpeech },
};
