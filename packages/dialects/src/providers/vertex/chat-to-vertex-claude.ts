import type { Translation } from '../../translation/translation.ts';
import { convertChatToAnthropic } from '../anthropic/convert-chat-to-anthropic.ts';
import { rejectRemoteUrls } from '../shared/reject-remote-urls.ts';

export const ANTHROPIC_VERSION = 'vertex-2023-10-16';

export const CHAT_TO_VERTEX_CLAUDE: Translation = {
  name: 'claude on vertex from completions',
  leavesModelOut: true,
  apply: (request, model) => {
    rejectRemoteUrls(request, model.id);
    const { request: body, ...told } = convertChatToAnthropic(request, model, model.upstreamModel);
    return { ...told, request: { anthropic_version: ANTHROPIC_VERSION, ...body } };
  },
};
