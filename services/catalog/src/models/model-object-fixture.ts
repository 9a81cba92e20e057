import type { ModelObject } from '@model-gateway/shared';

/** A model for tests, `<provider>/<name>`. */
export function modelObjectFixture(id: string, differs: Partial<ModelObject> = {}): ModelObject {
  return {
    id,
    object: 'model',
    created: 1,
    owned_by: id.slice(0, id.indexOf('/')),
    name: id.toUpperCase(),
    description: `about ${id}`,
    capability: 'chat',
    tier: 'free',
    context_length: null,
    max_output_tokens: null,
    input_modalities: ['text'],
    output_modalities: ['text'],
    pricing: {},
    endpoints: [],
    status: 'operational',
    ...differs,
  };
}
