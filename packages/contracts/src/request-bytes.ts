import type { ServiceDefinition, UntypedServiceImplementation } from '@grpc/grpc-js';

/** Bytes of the requests that a server has received. */
const received = new WeakMap<object, Buffer>();

/** Makes a service keep the bytes of each request for `requestBytes`, as long as the request exists. */
export function keepRequestBytes<Service extends UntypedServiceImplementation>(
  service: ServiceDefinition<Service>,
): ServiceDefinition<Service> {
  const methods = Object.entries(service).map(([name, method]) => {
    const requestDeserialize = (bytes: Buffer) => {
      const request: object = method.requestDeserialize(bytes);
      received.set(request, bytes);
      return request;
    };
    return [name, { ...method, requestDeserialize }];
  });
  return Object.fromEntries(methods);
}

/** Returns the bytes of a request as they were sent; undefined if the service does not keep them. */
export function requestBytes(request: object): Buffer | undefined {
  return received.get(request);
}
