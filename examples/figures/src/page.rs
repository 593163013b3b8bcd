//! The page that shows the figures.

use crate::{Figure, Settings};
use std::fmt::Write;

const STYLE: &str = "\
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 1200px; margin: 2rem auto; padding: 0 1rem; }
figure { margin: 0 0 3rem; }
img { display: block; width: 100%; height: auto; border-radius: 6px; border: 1px solid #8884; background: #fff; }
figcaption { margin-top: .6rem; max-width: 60rem; }
code { font-size: .9em; }
";

/// The text of `index.html`; the figures stand beside it.
pub(crate) fn html(figures: &[Figure], settings: Settings) -> String {
    let Settings { seed, steps } = settings;
    let mut page = format!(
        "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" \
         content=\"width=device-width, initial-scale=1\">\n<title>mirostat: figures</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n\
         <h1>mirostat {}: figures</h1>\n<p>All made by <code>cargo run --release --example figures -- --seed {seed} --steps {steps}\
         </code>. Of a seed and a number of steps the text of each figure is the same on every machine.</p>\n",
        env!("CARGO_PKG_VERSION"),
    );
    for figure in figures {
        let (title, caption) = (escaped(&figure.title), escaped(&figure.caption));
        let name = figure.name;
        let png = if cfg!(feature = "png") {
            format!(" <a href=\"{name}.png\">PNG</a>")
        } else {
            String::new()
        };
        write!(
            page,
            "<figure id=\"{name}\">\n<a href=\"{name}.svg\"><img src=\"{name}.svg\" alt=\"{title}\"></a>\n\
             <figcaption><strong>{title}.</strong> {caption} <a href=\"{name}.svg\">SVG</a>{png}</figcaption>\n</figure>\n",
        )
        .expect("a String takes whatever is written");
    }
    page.push_str("</body>\n</html>\n");
    page
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;")
        .replace('<', "&lt;")
        .replace('>', "&gt;")
        .replace('"', "&quot;")
}

#[cfg(test)]
mod tests {
    use super::escaped;

    #[test]
    fn text_stays_text() {
        assert_eq!(escaped("a < \"b\" & c"), "a &lt; &quot;b&quot; &amp; c");
    }
}
