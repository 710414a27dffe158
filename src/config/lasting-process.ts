// By itself the engine lets its heap grow on a large machine, for speed that a waiting service does not need: with 20 MB
// in use it stands at 300 MB. A process that stays keeps its young generation as it is, and collects the old one when it
// has grown by half: less than half the memory, for a tenth more processor time a turn, half a millisecond.
// One-shot commands never come here: loading the module alone costs them two milliseconds.

export function keepMemorySmall(): void {
  const { setFlagsFromString } = process.getBuiltinModule('node:v8');
  setFlagsFromString('--semi-space-growth-factor=1');
  setFlagsFromString('--heap-growing-percent=50');
}
