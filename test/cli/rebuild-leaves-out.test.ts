// counterfoil projections rebuild leaves out deliveries that are over by the setting of the service.
import { expect } from 'chai';
import { z } from 'zod';
import { until } from '../support/until.ts';
import { Place } from './processes.ts';

const List = z.object({ data: z.array(z.unknown()) });

describe('deliveries after their days', () => {
  const place = new Place();
  after(() => place.remove());

  it('leave beside a running service, and a rebuild leaves them out or brings them back as the setting says', async () => {
    const serving = await place.serve('--log-level error');
    const deliveries = async (): Promise<number> => List.parse(await place.json('webhooks deliveries')).data.length;
    const rebuilt = async (days: string): Promise<number> => {
      const env = { COUNTERFOIL_DELIVERY_DAYS: days };
      const { code, stdout } = await place.run('projections rebuild webhook-queues', { env });
      expect(code).to.equal(0);
      expect(stdout).to.contain('equal, swapped');
      return deliveries();
    };
    await place.json(`demo --webhooks --url ${serving.url}`);
    await until(async () => (await deliveries()) === 3);
    await place.json('sandbox clock advance 89d');
    expect(await rebuilt('90')).to.equal(3);
    await place.json('sandbox clock advance 2d');
    await until(async () => (await deliveries()) === 0);
    await serving.end('SIGKILL');
    expect(await rebuilt('forever')).to.equal(3);
    expect(await rebuilt('90')).to.equal(0);
  });
});
