export { type FakeClock, fakeClock } from './fake-clock.ts';
export { seededRandom } from './seeded-random.ts';
