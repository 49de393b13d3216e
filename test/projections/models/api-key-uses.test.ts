// When API keys were last used, to the minute.
import { expect } from 'chai';
import { ApiKeyUses, lastUses } from '../../../src/projections/models/api-key-uses.ts';
import { memoryReadModels } from '../../../src/stores/memory/read-models.ts';

describe('uses of API keys', () => {
  it('are known to the minute once they are written, and a key that was never used has none', async () => {
    const readModels = memoryReadModels();
    const uses = new ApiKeyUses(readModels);
    const at = Date.UTC(2026, 0, 31, 12, 0, 59);
    uses.used('key_1', at);
    expect([...(await lastUses(readModels, ['key_1']))]).to.deep.equal([]);
    await uses.write();
    expect([...(await lastUses(readModels, ['key_1', 'key_2']))]).to.deep.equal([['key_1', Date.UTC(2026, 0, 31, 12)]]);
    expect([...(await lastUses(readModels, []))]).to.deep.equal([]);
  });
});
