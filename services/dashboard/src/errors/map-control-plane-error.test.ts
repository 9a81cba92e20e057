import { GrpcStatus } from '@model-gateway/contracts';
import { describe, expect, it } from 'vitest';
import { DashboardError } from './dashboard-error.ts';
import { mapControlPlaneError } from './map-control-plane-error.ts';

const failure = (code: number, details = '') => Object.assign(new Error('rpc'), { code, details });

describe('an error of the control plane', () => {
  it.each([
    [GrpcStatus.NOT_FOUND, 404],
    [GrpcStatus.INVALID_ARGUMENT, 400],
    [GrpcStatus.FAILED_PRECONDITION, 409],
    [GrpcStatus.ALREADY_EXISTS, 409],
    [GrpcStatus.PERMISSION_DENIED, 403],
    [GrpcStatus.UNAVAILABLE, 503],
    [GrpcStatus.DEADLINE_EXCEEDED, 503],
    [GrpcStatus.ABORTED, 503],
    [GrpcStatus.UNAUTHENTICATED, 503],
  ])('with gRPC status %i becomes HTTP %i', (code, status) => {
    const error = mapControlPlaneError(failure(code));
    expect(error).toBeInstanceOf(DashboardError);
    expect(error).toMatchObject({ status });
  });

  it('is shown to the user as a sentence if it is a refusal', () => {
    const error = mapControlPlaneError(failure(GrpcStatus.INVALID_ARGUMENT, 'a team needs a name'));
    expect(error).toMatchObject({ message: 'A team needs a name.' });
  });

  it('hides its details if it is an outage, and has a Retry-After', () => {
    const error = mapControlPlaneError(failure(GrpcStatus.UNAVAILABLE, '10.0.0.7:50051 refused'));
    expect(error).toMatchObject({ headers: { 'retry-after': '2' } });
    expect(String(error)).not.toContain('10.0.0.7');
  });

  it('stays unchanged if its status is unexpected', () => {
    const internal = failure(GrpcStatus.INTERNAL, 'internal error');
    expect(mapControlPlaneError(internal)).toBe(internal);
    const other = new Error('no status at all');
    expect(mapControlPlaneError(other)).toBe(other);
  });
});
