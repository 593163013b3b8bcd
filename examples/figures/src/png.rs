//! A picture of pixels from the text of an SVG, with a font of its own: no machine needs to have one.

use crate::Fault;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

/// Pixels of the file to one of the figure.
const SCALE: f32 = 2.0;

/// The bytes of a PNG file.
pub(crate) fn png(svg: &str) -> Result<Vec<u8>, Fault> {
    let failed = |what: &str| Fault::Drawing(format!("the PNG: {what}"));
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    fonts.load_font_data(dejavu::sans::regular().to_vec());
    fonts.load_font_data(dejavu::sans::bold().to_vec());
    fonts.set_sans_serif_family("DejaVu Sans");
    let tree = Tree::from_str(svg, &options).map_err(|cause| failed(&cause.to_string()))?;
    let size = tree.size();
    let (width, height) = (size.width() * SCALE, size.height() * SCALE);
    let mut pixels =
        Pixmap::new(width as u32, height as u32).ok_or_else(|| failed("it has no pixels"))?;
    let scale = Transform::from_scale(SCALE, SCALE);
    resvg::render(&tree, scale, &mut pixels.as_mut());
    pixels
        .encode_png()
        .map_err(|cause| failed(&cause.to_string()))
}
