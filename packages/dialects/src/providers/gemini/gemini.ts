import type { ProviderProtocol } from '../../interfaces/provider-protocol.ts';
import { keyHeaders } from '../shared/build-headers.ts';
import { geminiChat } from './gemini-chat.ts';
import { geminiEmbeddings } from './gemini-embeddings.ts';
import { geminiImages } from './gemini-images.ts';
import { geminiSpeech } from './gemini-speech.ts';
import { readGoogleErrorDetails } from './read-gemini-error.ts';

export const gemini: ProviderProtocol = {
  ...keyHeaders({ name: 'x-goog-api-key', scheme: '' }, '/models?pageSize=1'),
  requestIdHeader: 'x-goog-request-id',
  errorDetails: readGoogleErrorDetails,
  endpoints: { chat: geminiChat, embeddings: geminiEmbeddings, images: geminiImages, speech: geminiSpeech },
};
