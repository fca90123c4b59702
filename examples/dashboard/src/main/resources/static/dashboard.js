// Draws what the service sends twice a second: totals, which grow, and levels. Rates are differences of totals.

const WINDOW_SECONDS = 120;
const SHORTEST_WINDOW_SECONDS = 30;
const MAX_SAMPLES = 240;
const SILENCE_MILLIS = 1500;
const RETRY_MILLIS = 1000;
const CHECK_MILLIS = 250;

const samples = [];

// What of a sample is shown, from it and the one before it. A gap is null.

function level(figure) {
  return sample => sample.figures[figure] ?? null;
}

function difference(sample, before, figure) {
  const delta = sample.figures[figure] - before.figures[figure];
  return delta >= 0 ? delta : null;
}

function rate(...figures) {
  return (sample, before) => {
    if (!before || sample.time <= before.time) {
      return null;
    }
    let sum = 0;
    for (const figure of figures) {
      const delta = difference(sample, before, figure);
      if (delta === null) {
        return null;
      }
      sum += delta;
    }
    return sum * 1000 / (sample.time - before.time);
  };
}

function shareOfRounds(wanted) {
  return (sample, before) => {
    const rounds = before ? difference(sample, before, 'STEPS') : null;
    const empty = before ? difference(sample, before, 'EMPTY_STEPS') : null;
    if (rounds === null || empty === null) {
      return null;
    }
    const idle = rounds > 0 ? Math.min(1, empty / rounds) : 1;
    return wanted === 'idle' ? idle : 1 - idle;
  };
}

// How values are written.

function scaled(value, base, units, digits = 3) {
  let power = 0;
  while (Math.abs(value) >= base && power < units.length - 1) {
    value /= base;
    power++;
  }
  const whole = power === 0 && Number.isInteger(value);
  return (whole ? String(value) : trimmed(value, digits)) + units[power];
}

function trimmed(value, digits) {
  const decimals = Math.max(0, digits - Math.max(1, Math.ceil(Math.log10(Math.abs(value) + 1e-9))));
  return String(Number(value.toFixed(Math.min(decimals, 3))));
}

const count = value => scaled(value, 1000, ['', ' k', ' M', ' G']);
const perSecond = value => count(value) + '/s';
const bytes = value => scaled(value, 1024, [' B', ' KiB', ' MiB', ' GiB']);
const bytesPerSecond = value => bytes(value) + '/s';
const percent = value => trimmed(value * 100, 3) + ' %';
const seconds = value => value === 0 ? '0' : value < 0.001 ? trimmed(value * 1e6, 3) + ' µs'
    : value < 1 ? trimmed(value * 1e3, 3) + ' ms' : trimmed(value, 3) + ' s';

const TILES = [
  ['Requests', rate('REQUESTS'), perSecond],
  ['Median time', level('MEDIAN'), seconds],
  ['99 % within', level('PERCENTILE_99'), seconds],
  ['In flight', level('IN_FLIGHT'), count],
  ['Sent', rate('SENT_BYTES'), bytesPerSecond],
  ['Received', rate('RECEIVED_BYTES'), bytesPerSecond],
  ['HTTP calls', rate('HTTP_CALLS'), perSecond],
  ['Engine busy', shareOfRounds('busy'), percent],
  ['Connections', level('CONNECTIONS'), count],
  ['Credits', level('CREDITS'), count],
  ['Memory leased', level('LEASED'), bytes],
  ['Memory mapped', level('SLABS'), bytes],
];

const CHARTS = [
  ['throughput', 'Throughput', perSecond, [['Requests', rate('REQUESTS')], ['Messages sent', rate('MESSAGES')],
    ['HTTP calls', rate('HTTP_CALLS')]]],
  ['latency', 'Time of a request', seconds, [['Median', level('MEDIAN')], ['99 %', level('PERCENTILE_99')],
    ['Longest', level('LONGEST')]]],
  ['bytes', 'Bytes', bytesPerSecond, [['Sent', rate('SENT_BYTES')], ['Received', rate('RECEIVED_BYTES')],
    ['HTTP, both ways', rate('HTTP_SENT', 'HTTP_RECEIVED')]]],
  ['in-flight', 'In flight', count, [['Requests', level('IN_FLIGHT')], ['Waiting for the peer', level('WAITING')],
    ['UCX operations', level('OPERATIONS')]]],
  ['engine', 'Rounds of the engine', percent, [['With work', shareOfRounds('busy')],
    ['Idle', shareOfRounds('idle')]], [0, 1]],
  ['connections', 'Connections', count, [['Connections', level('CONNECTIONS')], ['Netty channels', level('CHANNELS')],
    ['Netty links', level('LINKS')]]],
  ['credits', 'Credits', count, [['Messages the peer would accept', level('CREDITS')],
    ['Streams without credit', level('CREDIT_WAITERS')]]],
  ['memory', 'Buffer pool', bytes, [['Leased', level('LEASED')], ['Mapped', level('SLABS')],
    ['Mapped of peers', level('MAPPED')]]],
];

const TOTALS = [
  ['Requests', 'REQUESTS', count], ['Requests with a response', 'ANSWERED', count],
  ['Messages sent', 'MESSAGES', count], ['HTTP calls', 'HTTP_CALLS', count],
  ['Bytes sent', 'SENT_BYTES', bytes], ['Bytes received', 'RECEIVED_BYTES', bytes],
  ['HTTP bytes sent', 'HTTP_SENT', bytes], ['HTTP bytes received', 'HTTP_RECEIVED', bytes],
  ['Peers lost', 'LOST', count], ['Limit of the pool', 'SLAB_LIMIT', bytes],
];

// The parts of the page.

function element(parent, name, className, text = '') {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  parent.append(made);
  return made;
}

function show(target, value, format) {
  target.dataset.value = value ?? '';
  target.textContent = value === null ? '–' : format(value);
}

const tiles = TILES.map(([label, value, format]) => {
  const tile = element(document.getElementById('tiles'), 'div', 'tile');
  element(tile, 'span', 'label', label);
  const shown = element(tile, 'span', 'value', '–');
  shown.dataset.tile = label;
  return (sample, before) => show(shown, value(sample, before), format);
});

const totals = TOTALS.map(([label, figure, format]) => {
  const row = element(document.getElementById('totals'), 'div', '');
  element(row, 'dt', '', label);
  const shown = element(row, 'dd', '', '–');
  shown.dataset.figure = figure;
  return sample => show(shown, sample.figures[figure] ?? null, format);
});

const color = name => getComputedStyle(document.documentElement).getPropertyValue(name).trim();

// Steps of an axis of bytes, so that it has whole KiB and MiB.
const BINARY_STEPS = Array.from({length: 41}, (ignored, power) => 2 ** power);

function axis(format, side) {
  const binary = format === bytes || format === bytesPerSecond;
  return {
    stroke: () => color('--faint'),
    grid: {stroke: () => color('--grid'), width: 1},
    ticks: {stroke: () => color('--grid'), width: 1, size: 4},
    font: '12px system-ui, sans-serif',
    size: side === 'left' ? 74 : 28,
    gap: 4,
    space: side === 'left' ? 32 : 70,
    values: (plot, values) => values.map(format),
    ...(binary ? {incrs: BINARY_STEPS} : {}),
  };
}

const clock = time => new Date(time * 1000).toLocaleTimeString('en-GB');

function chart([id, title, format, lines, range]) {
  const figure = element(document.getElementById('charts'), 'figure', 'chart');
  figure.id = id;
  const caption = element(figure, 'figcaption', '', '');
  element(caption, 'span', '', title);
  const keys = lines.map(([label], i) => element(caption, 'span', `key key-${i + 1}`, label));
  const place = element(figure, 'div', 'plot');
  place.setAttribute('role', 'img');
  place.setAttribute('aria-label', `${title} of the last two minutes`);
  const data = [[], ...lines.map(() => [])];

  function writeKeys(plot) {
    const at = plot.cursor.idx ?? data[0].length - 1;
    lines.forEach(([label], i) => {
      const value = at >= 0 ? data[i + 1][at] ?? null : null;
      keys[i].textContent = value === null ? label : `${label} ${format(value)}`;
    });
  }

  const plot = new uPlot({
    width: place.clientWidth,
    height: place.clientHeight,
    legend: {show: false},
    cursor: {y: false, drag: {x: false, y: false}},
    scales: {
      x: {time: false, range: (self, min, max) =>
        [Math.max(max - WINDOW_SECONDS, Math.min(min, max - SHORTEST_WINDOW_SECONDS)), max]},
      y: {range: range ? () => range : (self, min, max) => [0, max > 0 ? max * 1.1 : 1]},
    },
    axes: [axis(clock, 'bottom'), axis(format, 'left')],
    series: [{}, ...lines.map(([label], i) => ({label, width: 2, stroke: () => color(`--line-${i + 1}`),
      points: {show: false}}))],
    hooks: {setCursor: [writeKeys]},
  }, data, place);
  figure.plot = plot;
  new ResizeObserver(() => plot.setSize({width: place.clientWidth, height: place.clientHeight})).observe(place);
  return {
    add(sample, before) {
      data[0].push(sample.time / 1000);
      lines.forEach(([, value], i) => data[i + 1].push(value(sample, before)));
      if (data[0].length > MAX_SAMPLES) {
        data.forEach(column => column.shift());
      }
    },
    draw() {
      if (data[0].length > 0) {
        plot.setData(data);
        writeKeys(plot);
      }
    },
    repaint() {
      plot.redraw(false, true);
    },
    clear() {
      data.forEach(column => column.length = 0);
    },
  };
}

// The theme: the system's, or the other one while the button says so, which the browser remembers.

const prefersDark = matchMedia('(prefers-color-scheme: dark)');
const button = document.getElementById('theme');
let charts = [];

function chosenTheme() {
  try {
    return localStorage.getItem('theme');
  } catch {
    return null;
  }
}

const systemTheme = () => prefersDark.matches ? 'dark' : 'light';

function setTheme() {
  const theme = chosenTheme() ?? systemTheme();
  document.documentElement.dataset.theme = theme;
  button.textContent = theme === 'dark' ? 'Theme: dark' : 'Theme: light';
  button.title = `Use the ${theme === 'dark' ? 'light' : 'dark'} theme`;
  charts.forEach(each => each.repaint());
}

button.addEventListener('click', () => {
  const other = document.documentElement.dataset.theme === 'dark' ? 'light' : 'dark';
  try {
    if (other === systemTheme()) {
      localStorage.removeItem('theme');
    } else {
      localStorage.setItem('theme', other);
    }
  } catch {
    // Without storage the system's theme stays.
  }
  setTheme();
});
prefersDark.addEventListener('change', setTheme);

// The state: of the peer as the service says it, or of the service when it is silent.

let heardAt = 0;

function ago(millis) {
  const whole = Math.max(0, Math.round(millis / 1000));
  return whole < 60 ? `${whole} s` : `${Math.floor(whole / 60)} min ${whole % 60} s`;
}

function showState() {
  const state = document.getElementById('state');
  const alarm = document.getElementById('alarm');
  const sample = samples.at(-1);
  const silent = heardAt > 0 && performance.now() - heardAt > SILENCE_MILLIS;
  let kind = 'waiting';
  let text = 'Waiting for figures';
  let warning = '';
  if (silent) {
    kind = 'silent';
    text = 'Service silent';
    warning = `The service has sent nothing for ${ago(performance.now() - heardAt)}. Figures are old.`
        + ' The page connects again by itself.';
  } else if (sample && sample.state === 'CONNECTED') {
    kind = 'connected';
    text = `Peer connected for ${ago(sample.time - sample.since)}`;
  } else if (sample) {
    kind = 'lost';
    text = 'Peer lost';
    warning = `The peer ${sample.peer} was lost ${ago(sample.time - sample.since)} ago.`
        + ' The service connects again by itself.';
  }
  state.dataset.state = kind;
  if (state.textContent !== text) {
    state.textContent = text;
  }
  if (alarm.textContent !== warning) {
    alarm.textContent = warning;
  }
  alarm.hidden = warning === '';
  document.body.classList.toggle('stale', silent);
}

// The stream of samples. A new one begins with the samples of the last two minutes.

function take(sample) {
  const before = samples.at(-1);
  if (before && sample.start !== before.start) {
    samples.length = 0;
    charts.forEach(each => each.clear());
  } else if (before && sample.time <= before.time) {
    return;
  }
  samples.push(sample);
  if (samples.length > 2) {
    samples.shift();
  }
  const previous = samples.length > 1 ? samples[0] : undefined;
  charts.forEach(each => each.add(sample, previous));
}

let due = false;

function draw() {
  due = false;
  const [before, now] = samples.length > 1 ? samples : [undefined, samples[0]];
  document.getElementById('peer').textContent = now.peer;
  document.body.dataset.time = now.time;
  tiles.forEach(each => each(now, before));
  totals.forEach(each => each(now));
  charts.forEach(each => each.draw());
  showState();
}

function listen() {
  const source = new EventSource('live');
  source.onmessage = event => {
    heardAt = performance.now();
    take(JSON.parse(event.data));
    if (!due) {
      due = true;
      requestAnimationFrame(draw);
    }
  };
  source.onerror = () => {
    // The browser would give up after a refusal, so the page tries again itself.
    source.close();
    setTimeout(listen, RETRY_MILLIS);
  };
}

charts = CHARTS.map(chart);
setTheme();
setInterval(showState, CHECK_MILLIS);
listen();
