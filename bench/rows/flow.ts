import { sessionOf } from '../../test/flow/world.ts';
import { pageOf } from '../flow/page.ts';
import { median, type Row, within } from '../measure.ts';

const pages = Array.from({ length: 3000 }, (_, number) => pageOf(number));
const rounds = 5;

export const rows: readonly Row[] = [
  {
    name: 'flow',
    async run() {
      const before = process.memoryUsage().arrayBuffers;
      const { reads, asked } = sessionOf('Sum it up.');
      for (const page of pages) reads(page);
      const bytes = process.memoryUsage().arrayBuffers - before;
      const times = Array.from({ length: rounds }, () =>
        cpuMs(() => {
          for (const page of pages) reads(page);
        }),
      );
      const asking = Array.from({ length: rounds }, () =>
        cpuMs(() => {
          for (let number = 0; number < pages.length; number++)
            asked({ to: `someone${number}@far${number}.example` });
        }),
      );
      return [
        within('remember the origins in a 4 KiB result, CPU', 0.1, median(times) / pages.length),
        within('judge where a call goes, CPU', 0.1, median(asking) / pages.length),
        within('memory kept for 3,000 results of 4 KiB', 2, bytes / 1024 ** 2, 'MiB'),
      ];
    },
  },
];

function cpuMs(work: () => void): number {
  const before = process.cpuUsage();
  work();
  return process.cpuUsage(before).user / 1000;
}
