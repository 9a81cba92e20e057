import { endpointOf, type ImageEdit } from '@model-gateway/dialects';
import { notExpressible } from '@model-gateway/shared/errors';
import { maxUnitsOfImageEdit } from '../billing/max-units.ts';
import type { RoutedModel } from '../catalog/model-table.ts';
import type { AuthenticatedExchange } from '../http/exchange.ts';
import type { CapabilityCall } from '../upstream/capability-call.ts';
import { type ImageAnswers, meteredImages } from './images.ts';

/** POST /v1/images/edits, plain and streamed. Metered as images that are generated, and by its pictures. */
export function imageEditsCall(
  exchange: AuthenticatedExchange,
  edit: ImageEdit,
  model: RoutedModel,
  shared: ImageAnswers,
): CapabilityCall {
  const textBytes = edit.fields.reduce((sum, { value }) => sum + Buffer.byteLength(value), 0);
  const maxUnits = maxUnitsOfImageEdit(edit.value, { textBytes, pictures: edit.files.length }, model);
  return {
    ...meteredImages(exchange, edit.value, maxUnits, shared),
    isRepeatable: () => true,
    buildRequest: (protocol, upstreamModel, pace) => {
      const { edits } = endpointOf(protocol, 'images');
      if (edits === undefined)
        throw notExpressible(model.id, 'model', 'generates images, but has no provider that edits them');
      return edits.buildRequest(edit, upstreamModel, pace);
    },
  };
}
